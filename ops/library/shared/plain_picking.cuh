/* shared/plain_picking.cuh - slices picked by an index, or added where it
 * points to, as a user writes it first: a thread per element
 *
 * An index that is out of range traps: nothing can be reported from a kernel.
 */
#ifndef OSW_LIBRARY_PLAIN_PICKING_CUH
#define OSW_LIBRARY_PLAIN_PICKING_CUH

#include "picking.h"
#include "plain_copy.cuh"

/* --- slices picked by an index --- */

/* Entry `at` of an index into [0, n), of i64 or i32. */
static __device__ inline int64_t osw_plain_index(const void *index, int bits,
                                                 int64_t at, int64_t n)
{
    int64_t k = bits == 64 ? ((const int64_t *)index)[at]
                           : (int64_t)((const int32_t *)index)[at];

    if (k < 0 || k >= n)
        __trap();
    return k;
}

/* A tensor of which slices are picked, or to which they are added. */
struct osw_plain_picked {
    char *data;
    int64_t n, stride; /* slices, and elements from one to the next */
    const void *index;
    int index_bits;
};

/* Along dimension dim of t, where it has one. */
static inline struct osw_plain_picked
osw_plain_picked_of(const osw_tensor *t, int32_t dim, const osw_tensor *index)
{
    return {(char *)osw_data(t), t->ndim ? t->shape[dim] : 1,
            t->ndim ? t->strides[dim] : 0, osw_data(index), index->dtype.bits};
}

static __device__ inline int64_t osw_plain_slice(const osw_plain_picked &p,
                                                 int64_t at)
{
    return osw_plain_index(p.index, p.index_bits, at, p.n) * p.stride;
}

/* A dimension inside of those there are; a step for each tensor. */
static inline void osw_plain_axes_add(struct osw_plain_axes *a, int64_t size,
                                      int64_t first, int64_t second,
                                      int64_t third)
{
    int64_t step[OSW_PLAIN_TENSORS] = {first, second, third};

    if (size != 1)
        osw_plain_axes_push(a, size, step);
}

struct osw_plain_pick_job {
    struct osw_plain_axes axes; /* of the output, of slice 0, of the index */
    int64_t total;
    char *to;
    struct osw_plain_picked from;
};

template <class T, class I>
__global__ void
osw_plain_pick_kernel(const __grid_constant__ osw_plain_pick_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        ((T *)job.to)[at[0]] =
            ((const T *)
                 job.from.data)[at[1] + osw_plain_slice(job.from, at[2])];
    }
}

/* The axes are the caller's. */
static inline int osw_plain_pick(const osw_call *call,
                                 struct osw_plain_pick_job *job,
                                 const osw_tensor *out)
{
    if (job->axes.n == 0)
        job->axes.size[job->axes.n++] = 1;
    job->total = osw_numel(out);
    job->to = (char *)osw_data(out);
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job->total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_pick_kernel<T, decltype(i)>,
                                    job->total, *job);
        });
    });
}

/* --- slices added where an index points to --- */

/* The dtype that elements of dtype t are computed in. */
static inline osw_dtype osw_plain_arithmetic(osw_dtype t)
{
    if (osw_rule_category(t) < 2)
        return osw_rule_dtype(OSW_INT, 64);
    return osw_rule_dtype(OSW_FLOAT, t.bits == 64 ? 64 : 32);
}

/* Where slices are added up: the output itself where it is of the type of the
 * arithmetic, else a tensor of that type in the workspace.
 */
struct osw_plain_total {
    struct osw_view view;
    const osw_tensor *out;
    int is_out;
    char *rest; /* aligned to 8 bytes */
};

/* rest: bytes of workspace for the caller's own use */
static inline int osw_plain_total_open(const osw_call *call,
                                       struct osw_plain_total *t,
                                       const osw_tensor *out, size_t rest = 0)
{
    size_t bytes;

    if (!osw_view_of(&t->view, out) || osw_view_overlaps(out))
        return OSW_UNSUPPORTED;
    t->out = out;
    t->is_out = osw_rule_same(out->dtype, osw_plain_arithmetic(out->dtype));
    if (t->is_out && rest == 0)
        return 0;
    bytes = t->is_out ? 0 : (size_t)osw_numel(out) * 8;
    t->rest = (char *)osw_workspace(call, bytes + rest + 8);
    if (!t->rest)
        return OSW_ERROR;
    if (!t->is_out) {
        osw_view_as(&t->view, out, out->ndim, out->shape);
        t->view.t.dtype = osw_plain_arithmetic(out->dtype);
        t->view.t.byte_offset = 0;
        t->view.t.data = t->rest;
        t->rest += bytes;
    }
    return 0;
}

static inline int osw_plain_total_close(const osw_call *call,
                                        const struct osw_plain_total *t)
{
    return t->is_out ? 0 : osw_plain_copy(call, t->out, &t->view.t);
}

struct osw_plain_add_job {
    struct osw_plain_axes axes; /* of the source, of slice 0, of the index */
    int64_t total;
    const char *source;
    struct osw_plain_picked to;
    struct osw_factor alpha;
};

/* *to += a * b; integers wrap around. */
static __device__ inline void osw_plain_add_to(float *to, float a, float b)
{
    atomicAdd(to, a * b);
}

static __device__ inline void osw_plain_add_to(double *to, double a, double b)
{
    atomicAdd(to, a * b);
}

static __device__ inline void osw_plain_add_to(int64_t *to, int64_t a,
                                               int64_t b)
{
    atomicAdd((unsigned long long *)to,
              (unsigned long long)a * (unsigned long long)b);
}

/* The order in which terms of an element are added is not fixed, as in torch.
 */
template <class E, class I>
__global__ void
osw_plain_add_kernel(const __grid_constant__ osw_plain_add_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        osw_plain_add_to(
            (A *)job.to.data + at[1] + osw_plain_slice(job.to, at[2]),
            (A)(std::is_same<A, int64_t>::value ? (A)job.alpha.of_integers
                                                : (A)job.alpha.of_floats),
            osw_plain_load<A>((const E *)job.source + at[0]));
    }
}

/* Slice i of the source, times alpha, is added to slice index[i] of the total;
 * both are cut at dimension source->dim.
 */
static inline int osw_plain_add_slices(const osw_call *call,
                                       const struct osw_plain_total *t,
                                       const struct osw_slices *source,
                                       const osw_tensor *index,
                                       struct osw_factor alpha)
{
    const osw_tensor *x = source->tensor;
    struct osw_plain_add_job job = {};

    if (x->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < x->ndim; d++) {
        int across = d == source->dim;

        osw_plain_axes_add(&job.axes, x->shape[d], x->strides[d],
                           across ? 0 : t->view.strides[d],
                           across && index->ndim ? index->strides[0] : 0);
    }
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(x);
    job.source = (const char *)osw_data(x);
    job.to = osw_plain_picked_of(&t->view.t, source->dim, index);
    job.alpha = alpha;
    return osw_plain_by_dtype(x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_add_kernel<E, decltype(i)>,
                                    job.total, job);
        });
    });
}

#endif /* OSW_LIBRARY_PLAIN_PICKING_CUH */
