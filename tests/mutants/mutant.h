/* mutant.h - one source for a CPU and a GPU
 *
 * An op of this suite says what happens at one place: an ITEM function of the
 * operands and an index.  EACH(item, type) makes item_each(call, operands, n)
 * of it: a loop in C, a kernel on the call's stream in CUDA, where the .cu file
 * includes the .c file.  GLOBAL variables live where the items run, so that
 * they also advance when a recorded graph is replayed.
 */
#ifndef OSW_TESTS_MUTANT_H
#define OSW_TESTS_MUTANT_H

#include <math.h>
#include <time.h>

#include <opsweep/elements.h>

#ifdef __cplusplus
#define EXPORT extern "C"
#else
#define EXPORT
#endif

#ifdef __CUDACC__
#define ITEM         static __device__ inline
#define GLOBAL       static __device__
#define STREAM(call) ((cudaStream_t)(call)->stream)
#define EACH(item, type)                                                       \
    static __global__ void item##_kernel(type g, int64_t n)                    \
    {                                                                          \
        int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;            \
                                                                               \
        if (i < n)                                                             \
            item(&g, i);                                                       \
    }                                                                          \
    static inline void item##_each(const osw_call *call, const type *g,        \
                                   int64_t n)                                  \
    {                                                                          \
        if (n > 0)                                                             \
            item##_kernel<<<(unsigned)((n + 127) / 128), 128, 0,               \
                            STREAM(call)>>>(*g, n);                            \
    }
#else
#define ITEM   static inline
#define GLOBAL static
#define EACH(item, type)                                                       \
    static inline void item##_each(const osw_call *call, const type *g,        \
                                   int64_t n)                                  \
    {                                                                          \
        (void)call;                                                            \
        for (int64_t i = 0; i < n; i++)                                        \
            item(g, i);                                                        \
    }
#endif

enum { VIEW_DIMS = 4 };

/* A tensor by value: descriptors stay on the host, kernels get copies. */
struct view {
    char *at;
    osw_dtype dtype;
    int32_t ndim;
    int64_t shape[VIEW_DIMS], stride[VIEW_DIMS];
};

/* Precondition: at most VIEW_DIMS dimensions (the cases of the suite). */
static inline struct view view_of(const osw_tensor *t)
{
    struct view v;

    memset(&v, 0, sizeof(v));
    v.at = (char *)osw_data(t);
    v.dtype = t->dtype;
    v.ndim = t->ndim;
    for (int32_t d = 0; d < t->ndim; d++) {
        v.shape[d] = t->shape[d];
        v.stride[d] = t->strides[d];
    }
    return v;
}

/* Address of the element `offset` elements from the first. */
ITEM char *view_at(const struct view *v, int64_t offset)
{
    return v->at + offset * (int64_t)(v->dtype.bits / 8);
}

/* Offset of the `linear`-th element in row-major order. */
ITEM int64_t view_offset(const struct view *v, int64_t linear)
{
    int64_t at = 0;

    for (int32_t d = v->ndim - 1; d >= 0; d--) {
        at += linear % v->shape[d] * v->stride[d];
        linear /= v->shape[d];
    }
    return at;
}

/* The same where v is broadcast to the shape of `out`. */
ITEM int64_t view_offset_in(const struct view *v, const struct view *out,
                            int64_t linear)
{
    int32_t lead = out->ndim - v->ndim;
    int64_t at = 0;

    for (int32_t d = out->ndim - 1; d >= lead; d--) {
        if (v->shape[d - lead] != 1)
            at += linear % out->shape[d] * v->stride[d - lead];
        linear /= out->shape[d];
    }
    return at;
}

ITEM double view_get(const struct view *v, int64_t linear)
{
    return osw_load(v->dtype, view_at(v, view_offset(v, linear)));
}

ITEM void view_set(const struct view *v, int64_t linear, double value)
{
    osw_store(v->dtype, view_at(v, view_offset(v, linear)), value);
}

static inline int view_is_float(const struct view *v)
{
    return v->dtype.code == OSW_FLOAT || v->dtype.code == OSW_BFLOAT;
}

/* Values as a narrower type would hold them. */
ITEM float as_bf16(float v)
{
    return osw_bf16_to_f32(osw_f32_to_bf16(v));
}

ITEM float as_f16(float v)
{
    return osw_f16_to_f32(osw_f32_to_f16(v));
}

/* Round to nearest even at 10 bits after the point, as tensor cores may. */
ITEM float as_tf32(float v)
{
    uint32_t u = osw_f32_bits(v);

    return osw_f32_from_bits((u + 0xfffu + ((u >> 13) & 1u)) & 0xffffe000u);
}

/* A number that is another one every time. */
ITEM uint64_t any_number(void)
{
#ifdef __CUDACC__
    uint64_t t = (uint64_t)clock64();
#else
    struct timespec now;
    uint64_t t;

    clock_gettime(CLOCK_MONOTONIC, &now);
    t = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
    t *= 0x9e3779b97f4a7c15u;
    return t ^ (t >> 29);
}

#endif /* OSW_TESTS_MUTANT_H */
