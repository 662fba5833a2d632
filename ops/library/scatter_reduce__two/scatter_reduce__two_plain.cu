/* scatter_reduce.two - a copy of self, with which a thread combines an element
 * of src at a time
 *
 * Three kernels: what comes to each place is counted, and self's element there
 * becomes neutral where it is not to take part; elements are combined; sums
 * become means.
 */
#include "../shared/plain_picking.cuh"
#include "../shared/scatter_reduce.h"

struct reduce_job {
    struct osw_plain_axes axes; /* of src, of slice 0 of the total, of index */
    int64_t total;
    const char *src;
    struct osw_plain_picked to;
    unsigned *counts; /* of places of the total, which is contiguous */
    enum osw_scatter_way way;
    int with_self, bits, is_unsigned; /* of an element of the output */
};

static __device__ float combine(enum osw_scatter_way way, float a, float b)
{
    return osw_scatter_combine_f32(way, a, b);
}

static __device__ double combine(enum osw_scatter_way way, double a, double b)
{
    return osw_scatter_combine_f64(way, a, b);
}

static __device__ int64_t combine(enum osw_scatter_way way, int64_t a,
                                  int64_t b)
{
    return osw_scatter_combine_int(way, a, b);
}

/* What changes no element that it is combined with. */
template <class A> static __device__ A neutral(enum osw_scatter_way way)
{
    if (way == OSW_SCATTER_PROD)
        return A(1);
    if (way != OSW_SCATTER_MAX && way != OSW_SCATTER_MIN)
        return A(0);
    if constexpr (std::is_same<A, int64_t>::value)
        return way == OSW_SCATTER_MAX ? INT64_MIN : INT64_MAX;
    else
        return way == OSW_SCATTER_MAX ? A(-INFINITY) : A(INFINITY);
}

template <class A> static __device__ void combine_at(reduce_job job, A *to, A b)
{
    typedef std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned> W;
    W seen, was, bits;
    A v;

    memcpy(&seen, to, sizeof(A));
    do {
        was = seen;
        memcpy(&v, &was, sizeof(A));
        v = combine(job.way, v, b);
        memcpy(&bits, &v, sizeof(A));
        seen = atomicCAS((W *)(void *)to, was, bits);
    } while (seen != was);
}

template <class A, class I>
static __global__ void count(const __grid_constant__ reduce_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        at[1] += osw_plain_slice(job.to, at[2]);
        atomicAdd(&job.counts[at[1]], 1u);
        if (!job.with_self)
            ((A *)job.to.data)[at[1]] = neutral<A>(job.way);
    }
}

template <class E, class I>
static __global__ void take(const __grid_constant__ reduce_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        combine_at(job,
                   (A *)job.to.data + at[1] + osw_plain_slice(job.to, at[2]),
                   osw_plain_load<A>((const E *)job.src + at[0]));
    }
}

template <class A>
static __global__ void divide(const __grid_constant__ reduce_job job)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < job.total;
         i += osw_plain_step<int64_t>()) {
        A *to = (A *)job.to.data + i;
        int64_t n = job.counts[i];

        if (n == 0)
            continue;
        if constexpr (std::is_same<A, int64_t>::value)
            *to = osw_quotient_floor_int(
                osw_scatter_wrap(*to, job.bits, job.is_unsigned), n);
        else
            *to /= (A)n;
    }
}

static int combine_all(const osw_call *call, const reduce_job &job, osw_dtype t)
{
    return osw_plain_by_dtype(t, [&](auto e) {
        typedef decltype(e) E;
        typedef typename osw_plain_math<E>::type A;

        return osw_plain_by_count(job.total, [&](auto i) {
            typedef decltype(i) I;
            int rc = osw_plain_launch(call, count<A, I>, job.total, job);

            return rc ? rc : osw_plain_launch(call, take<E, I>, job.total, job);
        });
    });
}

static int divide_all(const osw_call *call, reduce_job job, osw_dtype t,
                      int64_t n)
{
    job.total = n;
    return osw_plain_by_dtype(t, [&](auto e) {
        typedef typename osw_plain_math<decltype(e)>::type A;

        return osw_plain_launch(call, divide<A>, n, job);
    });
}

extern "C" int scatter_reduce__two_kernel_impl(const osw_call *call)
{
    struct osw_scatter_reduce r = {};
    int rc = osw_scatter_reduce_open(call, &r);
    const osw_tensor *index = r.s.index.tensor, *to;
    int64_t n = rc ? 0 : osw_numel(r.s.out);
    struct osw_plain_total t = {};
    reduce_job job = {};

    if (!rc && index->ndim > OSW_RULE_DIMS)
        rc = OSW_UNSUPPORTED;
    if (!rc)
        rc = osw_plain_total_open(call, &t, r.s.out, (size_t)n * 4);
    if (!rc)
        rc = osw_plain_copy(call, &t.view.t, r.s.self);
    if (rc || n == 0)
        return rc;
    to = &t.view.t;
    for (int32_t d = 0; d < index->ndim; d++)
        osw_plain_axes_add(&job.axes, index->shape[d], r.s.src->strides[d],
                           d == r.s.index.dim ? 0 : to->strides[d],
                           index->strides[d]);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(index);
    job.src = (const char *)osw_data(r.s.src);
    job.to = osw_plain_picked_of(to, r.s.index.dim, index);
    job.counts = (unsigned *)t.rest;
    job.way = r.way;
    job.with_self = r.with_self;
    job.bits = r.s.out->dtype.bits;
    job.is_unsigned = r.s.out->dtype.code == OSW_UINT;
    rc = osw_plain_launch(call, osw_plain_fill_kernel<unsigned>, n, job.counts,
                          (unsigned)r.with_self, n);
    if (!rc)
        rc = combine_all(call, job, r.s.src->dtype);
    if (!rc && r.way == OSW_SCATTER_MEAN)
        rc = divide_all(call, job, r.s.src->dtype, n);
    return rc ? rc : osw_plain_total_close(call, &t);
}
