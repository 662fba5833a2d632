/* ops/library/var_mean__correction/var_mean__correction_plain.cu - a block or a
 * thread to each output: the mean, then the squares around it
 */
#include "../shared/plain_rows.cuh"
#include "var_mean.h"

struct job {
    osw_strided kept, summed;
    int64_t n_kept, n;
    char *var, *mean; /* contiguous */
    osw_dtype dtype;
    double divisor;
};

template <class Team, class E>
static __global__ void moments(const __grid_constant__ job j)
{
    for (int64_t k = Team::first_row(); k < j.n_kept; k += Team::row_step()) {
        const E *x = (const E *)j.kept.data + osw_strided_offset(&j.kept, k);
        double sum = 0.0, squares = 0.0, mean;

        for (int64_t i = Team::lane(); i < j.n; i += Team::lanes())
            sum += osw_plain_load<double>(x + osw_strided_offset(&j.summed, i));
        mean = osw_plain_sum<Team>(sum) / (double)j.n;
        for (int64_t i = Team::lane(); i < j.n; i += Team::lanes()) {
            double d =
                osw_plain_load<double>(x + osw_strided_offset(&j.summed, i)) -
                mean;

            squares += d * d;
        }
        squares = osw_plain_sum<Team>(squares);
        if (Team::lane() == 0) {
            osw_store(j.dtype, j.mean + k * (j.dtype.bits / 8), mean);
            osw_store(j.dtype, j.var + k * (j.dtype.bits / 8),
                      squares / j.divisor);
        }
    }
}

extern "C" int var_mean__correction_kernel_impl(const osw_call *call)
{
    struct var_mean v = {};
    int rc = var_mean_open(call, &v);
    job j = {};

    if (rc)
        return rc;
    if (!osw_plain_push_dims(&j.kept, &v.kept) ||
        !osw_plain_push_dims(&j.summed, &v.summed))
        return OSW_UNSUPPORTED;
    j.kept.data = (char *)osw_data(v.x);
    j.n_kept = v.kept.numel;
    j.n = v.summed.numel;
    j.var = (char *)osw_data(v.var);
    j.mean = (char *)osw_data(v.mean);
    j.dtype = v.x->dtype;
    j.divisor = v.divisor;
    return osw_plain_by_float(v.x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(j.n_kept, j.n, 0, [&](auto team) {
            return osw_plain_launch_rows(call, team, moments<decltype(team), E>,
                                         j.n_kept, j);
        });
    });
}
