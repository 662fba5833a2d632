/* ops/library/native_group_norm/native_group_norm_plain.cu - a block to each
 * group: its mean, then its variance, then the normalised elements
 */
#include "../shared/group_norm.h"
#include "../shared/plain_rows.cuh"

template <class E>
static __global__ void normalize(const __grid_constant__ osw_group_norm p)
{
    typedef typename osw_plain_math<E>::type A;
    typedef osw_plain_block Team;

    for (int64_t k = blockIdx.x; k < p.x.n * p.groups; k += gridDim.x) {
        int64_t image = k / p.groups, g = k % p.groups;
        double sum = 0.0, squares = 0.0, mean, rstd;

        for (int64_t i = Team::lane(); i < p.n; i += Team::lanes())
            sum += osw_plain_get<E>(
                p.x.data, p.x.dtype,
                osw_group_norm_at(&p.x, osw_group_norm_spot(&p, image, g, i)));
        mean = osw_plain_sum<Team>(sum) / (double)p.n;
        for (int64_t i = Team::lane(); i < p.n; i += Team::lanes()) {
            double d = osw_plain_get<E>(
                           p.x.data, p.x.dtype,
                           osw_group_norm_at(
                               &p.x, osw_group_norm_spot(&p, image, g, i))) -
                       mean;

            squares += d * d;
        }
        squares = osw_plain_sum<Team>(squares);
        rstd = 1.0 / sqrt(squares / (double)p.n + p.eps);
        for (int64_t i = Team::lane(); i < p.n; i += Team::lanes()) {
            struct osw_spot s = osw_group_norm_spot(&p, image, g, i);
            A x = osw_plain_get<E>(p.x.data, p.x.dtype,
                                   osw_group_norm_at(&p.x, s));

            osw_plain_put<E>(p.out.data, p.out.dtype,
                             osw_group_norm_at(&p.out, s),
                             (A)((x - mean) * rstd) *
                                     (A)osw_channels_get(&p.weight, s.c, 1) +
                                 (A)osw_channels_get(&p.bias, s.c, 0));
        }
        if (Team::lane() == 0) {
            osw_channels_set(&p.mean, k, mean);
            osw_channels_set(&p.rstd, k, rstd);
        }
    }
}

extern "C" int native_group_norm_kernel_impl(const osw_call *call)
{
    struct osw_group_norm p = {};
    int rc = osw_group_norm_open(call, &p);
    const osw_tensor *x = osw_arg_tensor(call, 0);

    if (rc)
        return rc;
    return osw_plain_by_floats(&x, 1, [&](auto e) {
        return osw_plain_launch_rows(call, osw_plain_block(),
                                     normalize<decltype(e)>, p.x.n * p.groups,
                                     p);
    });
}
