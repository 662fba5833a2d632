/* shared/moments_plain.cuh - moments_plain.h on a GPU: a block or a thread to
 * each output
 */
#ifndef OSW_LIBRARY_MOMENTS_PLAIN_CUH
#define OSW_LIBRARY_MOMENTS_PLAIN_CUH

#include "moments.h"
#include "plain_rows.cuh"

struct osw_moments_job {
    osw_strided kept, summed;
    int64_t n_kept, n;
    char *var, *mean; /* contiguous; mean NULL: no output */
    osw_dtype dtype;
    double divisor;
    int root; /* var is its root */
};

template <class Team, class E>
__global__ void osw_moments_kernel(const __grid_constant__ osw_moments_job j)
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
            squares /= j.divisor;
            if (j.mean)
                osw_store(j.dtype, j.mean + k * (j.dtype.bits / 8), mean);
            osw_store(j.dtype, j.var + k * (j.dtype.bits / 8),
                      j.root ? sqrt(squares) : squares);
        }
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_moments_plain(const osw_call *call, const osw_moments &v,
                                    int rc)
{
    osw_moments_job j = {};

    if (rc)
        return rc;
    if (!osw_plain_push_dims(&j.kept, &v.kept) ||
        !osw_plain_push_dims(&j.summed, &v.summed))
        return OSW_UNSUPPORTED;
    j.kept.data = (char *)osw_data(v.x);
    j.n_kept = v.kept.numel;
    j.n = v.summed.numel;
    j.var = (char *)osw_data(v.var);
    j.mean = v.mean ? (char *)osw_data(v.mean) : NULL;
    j.root = v.root;
    j.dtype = v.x->dtype;
    j.divisor = v.divisor;
    return osw_plain_by_float(v.x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(j.n_kept, j.n, 0, [&](auto team) {
            return osw_plain_launch_rows(
                call, team, osw_moments_kernel<decltype(team), E>, j.n_kept, j);
        });
    });
}

#endif /* OSW_LIBRARY_MOMENTS_PLAIN_CUH */
