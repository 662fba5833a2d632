/* ops/library/native_batch_norm/native_batch_norm_plain.cu - a block to each
 * channel: its mean, then its variance, then the normalised elements
 */
#include "../shared/batch_norm_plain.cuh"

template <class E>
static __global__ void normalize(const __grid_constant__ osw_batch_norm b)
{
    typedef typename osw_plain_math<E>::type A;
    typedef osw_plain_block Team;

    for (int64_t c = blockIdx.x; c < b.x.c; c += gridDim.x) {
        double mean = osw_channels_get(&b.running_mean, c, 0);
        double variance = osw_channels_get(&b.running_var, c, 0);
        A weight = (A)osw_channels_get(&b.weight, c, 1), scale;
        A bias = (A)osw_channels_get(&b.bias, c, 0);

        if (b.training) {
            double sum = 0.0, squares = 0.0;

            for (int64_t i = Team::lane(); i < b.n; i += Team::lanes())
                sum += osw_plain_channel_get<E>(b.x, c, i);
            mean = osw_plain_sum<Team>(sum) / (double)b.n;
            for (int64_t i = Team::lane(); i < b.n; i += Team::lanes()) {
                double d = osw_plain_channel_get<E>(b.x, c, i) - mean;

                squares += d * d;
            }
            variance = osw_plain_sum<Team>(squares) / (double)b.n;
            if (Team::lane() == 0)
                osw_batch_norm_keep(&b, c, mean, variance);
        }
        scale = (A)osw_batch_norm_invstd(variance, b.eps);
        for (int64_t i = Team::lane(); i < b.n; i += Team::lanes())
            osw_plain_put<E>(b.out.data, b.out.dtype,
                             osw_plain_channel_at(b.out, c, i),
                             (A)(osw_plain_channel_get<E>(b.x, c, i) - mean) *
                                     scale * weight +
                                 bias);
    }
}

extern "C" int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {};
    int rc = osw_batch_norm_open(call, &b);
    const osw_tensor *x = osw_arg_tensor(call, 0);

    if (rc)
        return rc;
    return osw_plain_channels(&b, &x, 1, [&](auto e) {
        return osw_plain_launch_rows(call, osw_plain_block(),
                                     normalize<decltype(e)>, b.x.c, b);
    });
}
