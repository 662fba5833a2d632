/* worker/judge/memory/judge_kernels_cuda.h - what judge_cuda.c asks of the GPU
 *
 * Plain data and C functions, so that kernels need no header of the host's
 * and the host no CUDA C++.  Every function launches one kernel in the
 * place's stream and returns a cudaError_t; none waits.  Those that find
 * something out leave it in the place's result, which is there once the
 * stream has come so far.
 *
 * Pointers are to device memory, aligned to the parts of their elements
 * unless they are bytes.  Counts of elements and bytes are above 0.
 */
#ifndef OSW_WORKER_JUDGE_JUDGE_KERNELS_CUDA_H
#define OSW_WORKER_JUDGE_JUDGE_KERNELS_CUDA_H

#include <stdint.h>

#include "worker/judge/compare/compare_value.h"
#include "worker/judge/inputs/element.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    OSW_GPU_MAX_DIMS = 16,
    OSW_GPU_MAX_BLOCKS = 4096, /* whose findings fit in the scratch memory */
    OSW_GPU_SCRATCH_BYTES = 512 * 1024,
};

/* What a comparison found: see osw_errors. */
struct osw_gpu_errors {
    uint64_t n_bad, n_nan, n_norm;
    uint64_t first_bad; /* UINT64_MAX: none */
    double max_abs, max_rel, max_ulp, max_norm;
    double sum_sq, sum_norm_sq, sum_want_sq;
};

struct osw_gpu_result {
    uint64_t word; /* a hash, or an offset; UINT64_MAX: none */
    double sum;
    uint64_t count;
    struct osw_gpu_errors errors;
};

/* Where kernels run.  Work in one place is in order. */
struct osw_gpu_place {
    void *stream;                  /* cudaStream_t */
    void *scratch;                 /* [OSW_GPU_SCRATCH_BYTES], zeroed once */
    struct osw_gpu_result *result; /* host memory, as the device sees it */
    int n_blocks;                  /* of a large grid */
};

/* Elements in an order: the k-th counts through the dimensions, the last one
 * fastest.  There its index is `step` more, and the element lies `stride`
 * elements further, in another tensor `other`.
 */
struct osw_gpu_walk {
    int32_t n;
    int64_t size[OSW_GPU_MAX_DIMS];
    int64_t step[OSW_GPU_MAX_DIMS];
    int64_t stride[OSW_GPU_MAX_DIMS];
    int64_t other[OSW_GPU_MAX_DIMS];
};

/* n elements side by side, of indices 0, 1, ...; or in an order. */
int osw_gpu_fill(const struct osw_gpu_place *place,
                 const struct osw_element_rule *rule, void *data, int64_t n);
int osw_gpu_fill_walk(const struct osw_gpu_place *place,
                      const struct osw_element_rule *rule,
                      const struct osw_gpu_walk *walk, void *data, int64_t n);

/* Bytes at any address.  Result: word. */
int osw_gpu_check(const struct osw_gpu_place *place, const void *data,
                  uint64_t n, unsigned char pattern);
int osw_gpu_differs(const struct osw_gpu_place *place, const void *a,
                    const void *b, uint64_t n);
/* Copied to `to` on the way; NULL: not. */
int osw_gpu_hash(const struct osw_gpu_place *place, void *to, const void *data,
                 uint64_t n, uint64_t seed);
/* Offset in bytes of the first byte of [0, extent) elements that is of no
 * element and not `pattern`.  The walk's dimensions nest, largest stride first.
 */
int osw_gpu_check_gaps(const struct osw_gpu_place *place, const void *data,
                       const struct osw_gpu_walk *walk, int64_t extent,
                       int32_t elem_bytes, unsigned char pattern);

/* Elements [from, to) of outputs and of what they should be. */
struct osw_gpu_compare {
    osw_dtype dl;      /* of an element */
    osw_dtype part_dl; /* of a complex one's parts, else the same */
    int32_t bytes;     /* of an element */
    int32_t parts;     /* 2 for complex */
    int32_t whole;     /* integers or bool */
    int32_t plain;     /* elements lie side by side, alike in all there is */
    struct osw_value_rule rule;
    const void *got, *want;     /* want NULL: exact counts */
    const double *exact, *norm; /* norm may be NULL */
    int64_t from, to;
    struct osw_gpu_walk walk; /* if not plain; other: of want */
};

/* Result: errors.  From is a multiple of 16.  Indices are the walk's, or count
 * from the start of what is plain.
 */
int osw_gpu_compare(const struct osw_gpu_place *place,
                    const struct osw_gpu_compare *job);

/* Sum and count of the finite expected values.  Result: sum, count.  Of the
 * walk `stride` is that of want.
 */
int osw_gpu_sum(const struct osw_gpu_place *place,
                const struct osw_gpu_compare *job);

#ifdef __cplusplus
}
#endif

#endif /* OSW_WORKER_JUDGE_JUDGE_KERNELS_CUDA_H */
