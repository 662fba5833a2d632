/* shared/pair_loss_plain.cuh - pair_loss_plain.h on a GPU: a thread per
 * element; sums are those of one block, in double
 */
#ifndef OSW_LIBRARY_PAIR_LOSS_PLAIN_CUH
#define OSW_LIBRARY_PAIR_LOSS_PLAIN_CUH

#include "pair_loss.h"
#include "plain_rows.cuh"

struct osw_pair_loss_job {
    struct osw_plain_axes axes; /* of self, target */
    int64_t total;
    const char *a, *b;
    char *out;
    double divisor, width;
};

/* F has template <class T> static __device__ T of(T a, T b, T width) */
template <class F, class E>
__device__ static typename osw_plain_math<E>::type
osw_pair_loss_of(const osw_pair_loss_job &job, int64_t i)
{
    typedef typename osw_plain_math<E>::type A;
    int64_t at[2];

    osw_plain_at<2>(job.axes, i, at);
    return F::of(osw_plain_load<A>((const E *)job.a + at[0]),
                 osw_plain_load<A>((const E *)job.b + at[1]), (A)job.width);
}

template <class F, class E>
static __global__ void
osw_pair_loss_each(const __grid_constant__ osw_pair_loss_job job)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < job.total;
         i += osw_plain_step<int64_t>())
        osw_plain_store((E *)job.out + i, osw_pair_loss_of<F, E>(job, i));
}

template <class F, class E>
static __global__ void
osw_pair_loss_summed(const __grid_constant__ osw_pair_loss_job job)
{
    double sum = 0;

    for (int64_t i = threadIdx.x; i < job.total; i += blockDim.x)
        sum += osw_pair_loss_of<F, E>(job, i);
    sum = osw_plain_sum<osw_plain_block>(sum);
    if (threadIdx.x == 0)
        osw_plain_store((E *)job.out,
                        (typename osw_plain_math<E>::type)(sum / job.divisor));
}

/* rc: what opening the arguments returned. */
template <class F>
static int osw_pair_loss_plain(const osw_call *call, const osw_pair_loss &l,
                               int rc)
{
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {l.a, l.b};
    osw_pair_loss_job job = {};

    if (rc)
        return rc;
    osw_plain_axes_of(&job.axes, l.a->ndim, l.a->shape, t);
    job.total = osw_numel(l.a);
    job.a = (const char *)osw_data(l.a);
    job.b = (const char *)osw_data(l.b);
    job.out = (char *)osw_data(l.out);
    job.divisor = l.divisor;
    job.width = l.width;
    return osw_plain_by_float(l.a->dtype, [&](auto e) {
        typedef decltype(e) E;

        return l.each ? osw_plain_launch(call, osw_pair_loss_each<F, E>,
                                         job.total, job)
                      : osw_launch(call, osw_pair_loss_summed<F, E>, 1,
                                   OSW_PLAIN_THREADS, 0, job);
    });
}

#endif /* OSW_LIBRARY_PAIR_LOSS_PLAIN_CUH */
