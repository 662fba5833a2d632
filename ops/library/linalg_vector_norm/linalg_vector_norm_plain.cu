/* linalg_vector_norm - a block or a thread to each output, in double */
#include "../shared/plain_rows.cuh"
#include "terms.h"

struct norm_job {
    osw_strided kept, summed;
    int64_t n_kept, n;
    double ord;
    char *out;
    osw_dtype dtype; /* of out */
};

template <class Team, class E>
static __global__ void norms(const __grid_constant__ norm_job job)
{
    double ord = job.ord;

    for (int64_t k = Team::first_row(); k < job.n_kept; k += Team::row_step()) {
        const E *x =
            (const E *)job.kept.data + osw_strided_offset(&job.kept, k);
        double sum = norm_begin(ord);

        for (int64_t i = Team::lane(); i < job.n; i += Team::lanes())
            sum =
                norm_join(sum,
                          norm_term(osw_plain_load<double>(
                                        x + osw_strided_offset(&job.summed, i)),
                                    ord),
                          ord);
        sum = Team::fold(
            sum, [=](double a, double b) { return norm_join(a, b, ord); });
        if (Team::lane() == 0)
            osw_store(job.dtype, job.out + k * (job.dtype.bits / 8),
                      norm_end(sum, ord));
    }
}

extern "C" int linalg_vector_norm_kernel_impl(const osw_call *call)
{
    struct vector_norm v = {};
    int rc = vector_norm_open(call, &v);
    norm_job job = {};

    if (rc)
        return rc;
    if (!osw_plain_push_dims(&job.kept, &v.r.kept) ||
        !osw_plain_push_dims(&job.summed, &v.r.summed))
        return OSW_UNSUPPORTED;
    job.kept.data = (char *)osw_data(v.r.x);
    job.n_kept = v.r.kept.numel;
    job.n = v.r.summed.numel;
    job.ord = v.ord;
    job.out = (char *)osw_data(v.r.out);
    job.dtype = v.r.out->dtype;
    return osw_plain_by_float(v.r.x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(job.n_kept, job.n, 0, [&](auto team) {
            return osw_plain_launch_rows(call, team, norms<decltype(team), E>,
                                         job.n_kept, job);
        });
    });
}
