/* ops/library/mse_loss/mse_loss_plain.cu - a thread per element; sums are those
 * of one block, in double
 */
#include "../shared/plain_rows.cuh"
#include "mse_loss.h"

struct mse_job {
    struct osw_plain_axes axes; /* of self, target */
    int64_t total;
    const char *a, *b;
    char *out;
    double divisor;
};

template <class E>
__device__ static typename osw_plain_math<E>::type
difference(const mse_job &job, int64_t i)
{
    typedef typename osw_plain_math<E>::type A;
    int64_t at[2];

    osw_plain_at<2>(job.axes, i, at);
    return osw_plain_load<A>((const E *)job.a + at[0]) -
           osw_plain_load<A>((const E *)job.b + at[1]);
}

template <class E>
static __global__ void each(const __grid_constant__ mse_job job)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < job.total;
         i += osw_plain_step<int64_t>()) {
        auto d = difference<E>(job, i);

        osw_plain_store((E *)job.out + i, d * d);
    }
}

template <class E>
static __global__ void summed(const __grid_constant__ mse_job job)
{
    double sum = 0;

    for (int64_t i = threadIdx.x; i < job.total; i += blockDim.x) {
        double d = difference<E>(job, i);

        sum += d * d;
    }
    sum = osw_plain_sum<osw_plain_block>(sum);
    if (threadIdx.x == 0)
        osw_plain_store((E *)job.out,
                        (typename osw_plain_math<E>::type)(sum / job.divisor));
}

extern "C" int mse_loss_kernel_impl(const osw_call *call)
{
    struct osw_mse m = {};
    int rc = osw_mse_open(call, &m);
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {m.a, m.b};
    mse_job job = {};

    if (rc)
        return rc;
    osw_plain_axes_of(&job.axes, m.a->ndim, m.a->shape, t);
    job.total = osw_numel(m.a);
    job.a = (const char *)osw_data(m.a);
    job.b = (const char *)osw_data(m.b);
    job.out = (char *)osw_data(m.out);
    job.divisor = m.divisor;
    return osw_plain_by_float(m.a->dtype, [&](auto e) {
        typedef decltype(e) E;

        return m.each
                   ? osw_plain_launch(call, each<E>, job.total, job)
                   : osw_launch(call, summed<E>, 1, OSW_PLAIN_THREADS, 0, job);
    });
}
