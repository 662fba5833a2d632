/* ops/library/native_batch_norm_backward/native_batch_norm_backward_plain.cu -
 * a block to each channel: the two sums, then the gradient of its elements
 */
#include "../shared/batch_norm_plain.cuh"

template <class E>
static __global__ void to_channels(const __grid_constant__ osw_batch_norm b)
{
    typedef typename osw_plain_math<E>::type A;
    typedef osw_plain_block Team;

    for (int64_t c = blockIdx.x; c < b.x.c; c += gridDim.x) {
        double mean = osw_channels_get(&b.mean, c, 0), n = (double)b.n;
        double invstd = osw_batch_norm_scale(&b, c);
        double scale = invstd * osw_channels_get(&b.weight, c, 1);
        double sum = 0.0, sum_y = 0.0;

        for (int64_t i = Team::lane(); i < b.n; i += Team::lanes()) {
            double g = osw_plain_channel_get<E>(b.grad, c, i);

            sum += g;
            sum_y += g * (osw_plain_channel_get<E>(b.x, c, i) - mean) * invstd;
        }
        sum = osw_plain_sum<Team>(sum);
        sum_y = osw_plain_sum<Team>(sum_y);
        if (Team::lane() == 0 && b.i_dweight >= 0)
            osw_channels_set(&b.dweight, c, sum_y);
        if (Team::lane() == 0 && b.i_dbias >= 0)
            osw_channels_set(&b.dbias, c, sum);
        if (!b.training)
            sum = sum_y = 0.0;
        if (b.i_out < 0)
            continue;
        for (int64_t i = Team::lane(); i < b.n; i += Team::lanes()) {
            A y = (A)((osw_plain_channel_get<E>(b.x, c, i) - mean) * invstd);
            A g = osw_plain_channel_get<E>(b.grad, c, i);

            osw_plain_put<E>(
                b.out.data, b.out.dtype, osw_plain_channel_at(b.out, c, i),
                (g - (A)(sum / n) - y * (A)(sum_y / n)) * (A)scale);
        }
    }
}

extern "C" int native_batch_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {};
    int rc = osw_batch_norm_open_backward(call, &b);
    const osw_tensor *t[] = {osw_arg_tensor(call, 0), osw_arg_tensor(call, 1)};

    if (rc)
        return rc;
    return osw_plain_channels(&b, t, 2, [&](auto e) {
        return osw_plain_launch_rows(call, osw_plain_block(),
                                     to_channels<decltype(e)>, b.x.c, b);
    });
}
