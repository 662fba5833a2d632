/* worker/judge/memory/judge_cuda.c - what a judge does to the memory of a GPU
 *
 * Views become plain parameters here, and layouts the shortest walk there is;
 * the kernels know no more.  A failure of CUDA is kept and told by sync():
 * until then functions return what does no harm.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "worker/judge/inputs/recipe.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/judge_kernels_cuda.h"
#include "worker/judge/memory/judge_ops.h"

enum {
    MAX_GPUS = 64,
    BLOCKS_PER_UNIT = 16, /* of a large grid, per multiprocessor */
    PREFIX = 1 << 20,     /* elements that passes() looks at first */
};

_Static_assert((int)OSW_GPU_MAX_DIMS >= (int)OSW_MAX_NDIM,
               "every tensor can be walked");

/* --- GPUs in use --- */

struct gpu {
    struct osw_gpu_place place;
    struct osw_gpu_result *result; /* place.result, as the host sees it */
    cudaError_t error;             /* the first one; it stays */
    const char *doing;             /* what then failed */
};

static struct gpu gpus[MAX_GPUS];

/* False, and kept, unless e is success. */
static bool went_well(struct gpu *gpu, cudaError_t e, const char *doing)
{
    if (e != cudaSuccess && gpu->error == cudaSuccess) {
        gpu->error = e;
        gpu->doing = doing;
    }
    return gpu->error == cudaSuccess;
}

static cudaError_t prepare(struct gpu *gpu, int index)
{
    void *scratch = NULL, *result = NULL, *seen = NULL;
    int units = 0;
    cudaError_t e =
        cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, index);

    if (e == cudaSuccess)
        e = cudaMalloc(&scratch, OSW_GPU_SCRATCH_BYTES);
    if (e == cudaSuccess)
        e = cudaMemset(scratch, 0, OSW_GPU_SCRATCH_BYTES);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize(); /* streams do not wait for that */
    if (e == cudaSuccess)
        e = cudaHostAlloc(&result, sizeof(*gpu->result), cudaHostAllocMapped);
    if (e == cudaSuccess)
        e = cudaHostGetDevicePointer(&seen, result, 0);
    if (e != cudaSuccess)
        return e;
    gpu->place.scratch = scratch;
    gpu->place.result = seen;
    gpu->place.n_blocks = units * BLOCKS_PER_UNIT;
    if (gpu->place.n_blocks > OSW_GPU_MAX_BLOCKS)
        gpu->place.n_blocks = OSW_GPU_MAX_BLOCKS;
    gpu->result = result;
    return cudaSuccess;
}

/* Memory for results is made when it is first needed and kept.  NULL: the
 * GPU has failed.
 */
static struct gpu *gpu_of(struct osw_device *dev)
{
    struct gpu *gpu = &gpus[dev->index % MAX_GPUS];

    if (!went_well(gpu, cudaSetDevice(dev->index), "use the GPU"))
        return NULL;
    gpu->place.stream = dev->ops->stream(dev);
    if (!gpu->result &&
        !went_well(gpu, prepare(gpu, dev->index), "get memory for results"))
        return NULL;
    return gpu;
}

/* Wait for a launch, and for what it found; NULL: it failed. */
static const struct osw_gpu_result *result_of(struct gpu *gpu, int launched,
                                              const char *doing)
{
    cudaError_t e = (cudaError_t)launched;

    if (e == cudaSuccess)
        e = cudaStreamSynchronize(gpu->place.stream);
    return went_well(gpu, e, doing) ? gpu->result : NULL;
}

static int64_t offset_in(const struct osw_gpu_result *result)
{
    return result && result->word != UINT64_MAX ? (int64_t)result->word : -1;
}

/* --- layouts --- */

static struct osw_gpu_walk plain_walk(const struct osw_walk *from)
{
    struct osw_gpu_walk w = {.n = from->n};

    for (int32_t d = 0; d < from->n; d++) {
        w.size[d] = from->dim[d].size;
        w.stride[d] = from->dim[d].stride;
        w.step[d] = from->dim[d].index_step;
    }
    return w;
}

struct axis {
    int64_t size, step, stride, other;
};

/* Dimensions of a, and of b (NULL: none) of the same shape, innermost first;
 * those that continue each other are joined.
 */
static int32_t axes_of(const struct osw_tensor_desc *a,
                       const struct osw_tensor_desc *b, struct axis *axes)
{
    int64_t step = 1;
    int32_t n = 0;

    for (int32_t d = a->ndim - 1; d >= 0; d--) {
        struct axis next = {a->shape[d], step, a->strides[d],
                            b ? b->strides[d] : 0};
        struct axis *in = n > 0 ? &axes[n - 1] : NULL;

        step *= next.size;
        if (next.size == 1)
            continue;
        if (in && next.stride == in->size * in->stride &&
            next.other == in->size * in->other)
            in->size *= next.size;
        else
            axes[n++] = next;
    }
    return n;
}

/* How far out an axis belongs, so that memory is read in its order. */
static int64_t rank_of(const struct axis *x)
{
    return x->stride == 0 ? INT64_MAX : x->stride;
}

/* All indices, in the order of a's memory. */
static struct osw_gpu_walk walk_of(const struct osw_tensor_desc *a,
                                   const struct osw_tensor_desc *b)
{
    struct axis axes[OSW_MAX_NDIM] = {{0}}, sorted[OSW_MAX_NDIM];
    struct osw_gpu_walk w = {.n = axes_of(a, b, axes)};

    for (int32_t i = 0; i < w.n; i++) {
        const struct axis *next = &axes[w.n - 1 - i]; /* outermost first */
        int32_t k = i;

        for (; k > 0 && rank_of(&sorted[k - 1]) < rank_of(next); k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = *next;
    }
    for (int32_t d = 0; d < w.n; d++) {
        w.size[d] = sorted[d].size;
        w.step[d] = sorted[d].step;
        w.stride[d] = sorted[d].stride;
        w.other[d] = sorted[d].other;
    }
    return w;
}

static int64_t count_of(const struct osw_gpu_walk *w)
{
    int64_t n = 1;

    for (int32_t d = 0; d < w->n; d++)
        n *= w->size[d];
    return n;
}

/* One element after the other, of indices 0, 1, ... */
static bool is_plain(const struct osw_gpu_walk *w)
{
    return w->n == 0 || (w->n == 1 && w->stride[0] == 1 && w->step[0] == 1);
}

static bool is_contiguous(const struct osw_tensor_desc *t)
{
    return osw_tensor_is_contiguous(t->ndim, t->shape, t->strides);
}

/* Every element once, side by side, in an order that both share. */
static bool are_dense_alike(const struct osw_tensor_desc *a,
                            const struct osw_tensor_desc *b)
{
    for (int32_t d = 0; d < a->ndim; d++)
        if (a->shape[d] != 1 && a->strides[d] != b->strides[d])
            return false;
    return !osw_tensor_has_gaps(a->ndim, a->shape, a->strides) &&
           !osw_tensor_may_overlap(a->ndim, a->shape, a->strides);
}

static bool has_gaps(const struct osw_tensor_desc *t)
{
    return osw_tensor_has_gaps(t->ndim, t->shape, t->strides);
}

static int64_t extent_of(const struct osw_tensor_desc *t)
{
    return osw_tensor_extent(t->ndim, t->shape, t->strides);
}

/* --- writing --- */

static void fill(struct osw_device *dev, const struct osw_view *v,
                 const struct osw_fill *how, uint64_t seed, uint32_t tensor,
                 uint32_t rep)
{
    struct gpu *gpu = gpu_of(dev);
    struct osw_recipe recipe;
    struct osw_gpu_walk walk;
    struct osw_walk memory;
    int e;

    if (!gpu || osw_view_numel(v) == 0)
        return;
    recipe = osw_recipe_make(v, how, seed, tensor, rep);
    osw_walk_memory(&memory, v->desc);
    walk = plain_walk(&memory);
    if (recipe.by_offset)
        memcpy(walk.step, walk.stride, sizeof(walk.step));
    if (is_plain(&walk))
        e = osw_gpu_fill(&gpu->place, &recipe.rule, v->data, count_of(&walk));
    else if (recipe.by_offset && !has_gaps(v->desc))
        e = osw_gpu_fill(&gpu->place, &recipe.rule, v->data,
                         extent_of(v->desc));
    else
        e = osw_gpu_fill_walk(&gpu->place, &recipe.rule, &walk, v->data,
                              count_of(&walk));
    went_well(gpu, (cudaError_t)e, "fill a tensor");
}

static void set(struct osw_device *dev, void *data, unsigned char byte,
                uint64_t n)
{
    struct gpu *gpu = gpu_of(dev);

    if (gpu && n > 0)
        went_well(gpu, cudaMemsetAsync(data, byte, n, gpu->place.stream),
                  "set memory");
}

static bool is_of_device(const void *p)
{
    struct cudaPointerAttributes a;

    if (cudaPointerGetAttributes(&a, p) == cudaSuccess)
        return a.type == cudaMemoryTypeDevice;
    (void)cudaGetLastError(); /* the host's, to some releases */
    return false;
}

static void copy(struct osw_device *dev, void *to, const void *from, uint64_t n)
{
    struct gpu *gpu = gpu_of(dev);
    cudaError_t e;

    if (!gpu || n == 0)
        return;
    e = cudaMemcpyAsync(to, from, n, cudaMemcpyDefault, gpu->place.stream);
    if (e == cudaSuccess && !(is_of_device(to) && is_of_device(from)))
        e = cudaStreamSynchronize(gpu->place.stream);
    went_well(gpu, e, "copy memory");
}

/* --- bytes --- */

static int64_t check(struct osw_device *dev, const void *data, uint64_t n,
                     unsigned char pattern)
{
    struct gpu *gpu = gpu_of(dev);

    if (!gpu || n == 0)
        return -1;
    return offset_in(result_of(
        gpu, osw_gpu_check(&gpu->place, data, n, pattern), "check memory"));
}

static int64_t differs(struct osw_device *dev, const void *a, const void *b,
                       uint64_t n)
{
    struct gpu *gpu = gpu_of(dev);

    if (!gpu || n == 0)
        return -1;
    return offset_in(result_of(gpu, osw_gpu_differs(&gpu->place, a, b, n),
                               "compare memory"));
}

/* Dimensions that interleave (no slicing makes them): a copy on the host. */
static int64_t check_gaps_on_host(struct osw_device *dev, struct gpu *gpu,
                                  const struct osw_view *v,
                                  unsigned char pattern)
{
    uint64_t bytes =
        (uint64_t)extent_of(v->desc) * (uint64_t)osw_view_elem_bytes(v);
    struct osw_view here = {.data = malloc(bytes), .desc = v->desc};
    int64_t at = -1;

    if (!here.data)
        went_well(gpu, cudaErrorMemoryAllocation, "copy a tensor's gaps");
    else
        copy(dev, here.data, v->data, bytes);
    if (here.data && gpu->error == cudaSuccess)
        at = osw_guard_check_gaps(&here, pattern);
    free(here.data);
    return at;
}

static int64_t check_gaps(struct osw_device *dev, const struct osw_view *v,
                          unsigned char pattern)
{
    struct gpu *gpu = gpu_of(dev);
    struct osw_gpu_walk walk;
    struct osw_walk memory;

    if (!gpu || !has_gaps(v->desc))
        return -1;
    if (osw_view_overlaps(v->desc))
        return check_gaps_on_host(dev, gpu, v, pattern);
    osw_walk_memory(&memory, v->desc);
    walk = plain_walk(&memory);
    return offset_in(result_of(
        gpu,
        osw_gpu_check_gaps(&gpu->place, v->data, &walk, extent_of(v->desc),
                           (int32_t)osw_view_elem_bytes(v), pattern),
        "check gaps"));
}

static uint64_t copy_hash(struct osw_device *dev, void *to, const void *from,
                          uint64_t n, uint64_t seed)
{
    struct gpu *gpu = gpu_of(dev);
    const struct osw_gpu_result *result;

    if (!gpu)
        return 0;
    result = result_of(gpu, osw_gpu_hash(&gpu->place, to, from, n, seed),
                       "hash memory");
    return result ? result->word : 0;
}

static uint64_t hash(struct osw_device *dev, const void *data, uint64_t n,
                     uint64_t seed)
{
    return copy_hash(dev, NULL, data, n, seed);
}

/* --- values --- */

static struct osw_gpu_compare job_of(const struct osw_tensor_desc *desc,
                                     const struct osw_expected *want,
                                     int64_t numel)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)desc->dtype);
    struct osw_gpu_compare job = {.dl = dtype->dl,
                                  .part_dl = dtype->dl,
                                  .bytes = (int32_t)dtype->bytes,
                                  .parts = 1,
                                  .exact = want->exact,
                                  .norm = want->exact ? want->norm : NULL,
                                  .to = numel};

    job.whole = dtype->class == OSW_CLASS_INT || dtype->class == OSW_CLASS_BOOL;
    if (dtype->class == OSW_CLASS_COMPLEX) {
        job.parts = 2;
        job.part_dl = (osw_dtype){OSW_FLOAT, (uint8_t)(dtype->dl.bits / 2), 1};
    }
    if (!want->exact)
        job.want = want->view.data;
    return job;
}

static struct osw_gpu_compare comparison(const struct osw_view *got,
                                         const struct osw_expected *want,
                                         const struct osw_accept *accept)
{
    struct osw_gpu_compare job = job_of(got->desc, want, osw_view_numel(got));

    job.rule = osw_compare_rule(got->desc->dtype, accept);
    job.got = got->data;
    job.walk = walk_of(got->desc, want->exact ? NULL : want->view.desc);
    job.plain = want->exact ? is_contiguous(got->desc)
                            : are_dense_alike(got->desc, want->view.desc);
    return job;
}

/* Where elements lie side by side in another order than row-major, the first
 * bad one of memory may not be the first one.
 */
static const struct osw_gpu_result *
look(struct gpu *gpu, struct osw_gpu_compare *job, bool row_major)
{
    const char *doing = "compare tensors";
    const struct osw_gpu_result *result =
        result_of(gpu, osw_gpu_compare(&gpu->place, job), doing);

    if (!result || row_major || !job->plain || result->errors.n_bad == 0)
        return result;
    job->plain = false;
    return result_of(gpu, osw_gpu_compare(&gpu->place, job), doing);
}

static void compare(struct osw_device *dev, const struct osw_view *got,
                    const struct osw_expected *want,
                    const struct osw_accept *accept, struct osw_errors *out)
{
    struct osw_gpu_compare job = comparison(got, want, accept);
    const struct osw_gpu_result *result;
    const struct osw_gpu_errors *e;
    struct gpu *gpu = gpu_of(dev);

    *out = (struct osw_errors){.n_elem = job.to, .first_bad = -1};
    if (!gpu || job.to == 0)
        return;
    result = look(gpu, &job, is_contiguous(got->desc));
    if (!result)
        return;
    e = &result->errors;
    out->n_bad = (int64_t)e->n_bad;
    out->n_nan = (int64_t)e->n_nan;
    out->n_norm = (int64_t)e->n_norm;
    if (e->n_bad > 0)
        out->first_bad = (int64_t)e->first_bad;
    out->max_abs = e->max_abs;
    out->max_rel = e->max_rel;
    out->max_ulp = e->max_ulp;
    out->max_allowed = e->max_abs > 0 || e->n_bad > 0 ? (double)NAN : 0;
    out->max_norm = e->max_norm;
    out->sum_sq = e->sum_sq;
    out->sum_norm_sq = e->sum_norm_sq;
    out->sum_want_sq = e->sum_want_sq;
}

/* The beginning first: what does not pass mostly shows there. */
static bool passes(struct osw_device *dev, const struct osw_view *got,
                   const struct osw_expected *want,
                   const struct osw_accept *accept)
{
    struct osw_gpu_compare job = comparison(got, want, accept);
    struct gpu *gpu = gpu_of(dev);
    int64_t numel = job.to;

    if (!gpu)
        return false;
    for (; job.from < numel; job.from = job.to) {
        const struct osw_gpu_result *result;

        job.to = job.from == 0 && numel > PREFIX ? PREFIX : numel;
        result = look(gpu, &job, true);
        if (!result || result->errors.n_bad > 0)
            return false;
    }
    return true;
}

static double mean(struct osw_device *dev, const struct osw_expected *want,
                   int64_t numel)
{
    static const struct osw_tensor_desc doubles = {.dtype = OSW_F64};
    struct osw_gpu_compare job =
        job_of(want->exact ? &doubles : want->view.desc, want, numel);
    const struct osw_gpu_result *result;
    struct gpu *gpu = gpu_of(dev);

    if (!gpu || numel == 0)
        return 0;
    if (job.want)
        job.walk = walk_of(want->view.desc, NULL);
    result = result_of(gpu, osw_gpu_sum(&gpu->place, &job), "take a mean");
    return result && result->count ? result->sum / (double)result->count : 0;
}

/* --- failures --- */

static int sync(struct osw_device *dev, struct osw_error *err)
{
    struct gpu *gpu = gpu_of(dev);

    if (gpu && went_well(gpu, cudaStreamSynchronize(gpu->place.stream),
                         "finish its work"))
        return 0;
    gpu = &gpus[dev->index % MAX_GPUS];
    return osw_fail(err, OSW_DEVICE, "the judge cannot %s: %s (%s)", gpu->doing,
                    cudaGetErrorString(gpu->error),
                    cudaGetErrorName(gpu->error));
}

const struct osw_judge_ops osw_judge_cuda_ops = {
    .kind = "cuda",
    .fill = fill,
    .set = set,
    .copy = copy,
    .check = check,
    .differs = differs,
    .check_gaps = check_gaps,
    .hash = hash,
    .copy_hash = copy_hash,
    .compare = compare,
    .passes = passes,
    .mean = mean,
    .sync = sync,
};
