/* ops/library/native_group_norm_backward/native_group_norm_backward_plain.cu -
 * a block to each group for the gradient of the input, and a block to each
 * channel for those of weight and bias
 */
#include "../shared/group_norm.h"
#include "../shared/plain_rows.cuh"

/* grad, and y = (x - mean) * rstd, at s. */
template <class E>
static __device__ void read(const osw_group_norm &p, osw_spot s, double *g,
                            double *y)
{
    int64_t k = s.n * p.groups + s.c / p.depth;

    *g = osw_plain_get<E>(p.grad.data, p.grad.dtype,
                          osw_group_norm_at(&p.grad, s));
    *y = (osw_plain_get<E>(p.x.data, p.x.dtype, osw_group_norm_at(&p.x, s)) -
          osw_channels_get(&p.mean, k, 0)) *
         osw_channels_get(&p.rstd, k, 1);
}

template <class E>
static __global__ void to_groups(const __grid_constant__ osw_group_norm p)
{
    typedef osw_plain_block Team;

    for (int64_t k = blockIdx.x; k < p.x.n * p.groups; k += gridDim.x) {
        double sum = 0.0, sum_y = 0.0, g, y, n = (double)p.n;

        for (int64_t i = Team::lane(); i < p.n; i += Team::lanes()) {
            osw_spot s = osw_group_norm_spot(&p, k / p.groups, k % p.groups, i);

            read<E>(p, s, &g, &y);
            g *= osw_channels_get(&p.weight, s.c, 1);
            sum += g;
            sum_y += g * y;
        }
        sum = osw_plain_sum<Team>(sum) / n;
        sum_y = osw_plain_sum<Team>(sum_y) / n;
        for (int64_t i = Team::lane(); i < p.n; i += Team::lanes()) {
            osw_spot s = osw_group_norm_spot(&p, k / p.groups, k % p.groups, i);

            read<E>(p, s, &g, &y);
            g *= osw_channels_get(&p.weight, s.c, 1);
            osw_plain_put<E>(
                p.out.data, p.out.dtype, osw_group_norm_at(&p.out, s),
                (typename osw_plain_math<E>::type)(
                    osw_channels_get(&p.rstd, k, 1) * (g - sum - y * sum_y)));
        }
    }
}

template <class E>
static __global__ void to_channels(const __grid_constant__ osw_group_norm p)
{
    typedef osw_plain_block Team;
    int64_t plane = p.x.y * p.x.x;

    for (int64_t c = blockIdx.x; c < p.x.c; c += gridDim.x) {
        double sum = 0.0, sum_y = 0.0, g, y;

        for (int64_t i = Team::lane(); i < p.x.n * plane; i += Team::lanes()) {
            read<E>(p, {i / plane, c, i / p.x.x % p.x.y, i % p.x.x}, &g, &y);
            sum += g;
            sum_y += g * y;
        }
        sum = osw_plain_sum<Team>(sum);
        sum_y = osw_plain_sum<Team>(sum_y);
        if (Team::lane() == 0 && p.i_dweight >= 0)
            osw_channels_set(&p.dweight, c, sum_y);
        if (Team::lane() == 0 && p.i_dbias >= 0)
            osw_channels_set(&p.dbias, c, sum);
    }
}

extern "C" int native_group_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_group_norm p = {};
    int rc = osw_group_norm_open_backward(call, &p);
    const osw_tensor *t[] = {osw_arg_tensor(call, 0), osw_arg_tensor(call, 1)};

    if (rc)
        return rc;
    return osw_plain_by_floats(t, 2, [&](auto e) {
        typedef decltype(e) E;
        int done = 0;

        if (p.i_out >= 0)
            done = osw_plain_launch_rows(call, osw_plain_block(), to_groups<E>,
                                         p.x.n * p.groups, p);
        if (!done && (p.i_dweight >= 0 || p.i_dbias >= 0))
            done = osw_plain_launch_rows(call, osw_plain_block(),
                                         to_channels<E>, p.x.c, p);
        return done;
    });
}
