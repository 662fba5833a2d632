/* ops/library/native_layer_norm/native_layer_norm_plain.cu - each row: its
 * mean, then its variance, then the normalised elements
 */
#include "../shared/plain_rows.cuh"

struct norm_job {
    osw_row_view x;
    osw_strided weight, bias; /* data NULL: 1 and 0 */
    char *out, *mean, *rstd;  /* contiguous */
    osw_dtype dtype, stat;    /* of out; of mean and rstd */
    double eps;
};

template <class Team, class E>
static __global__ void normalize(const __grid_constant__ norm_job job)
{
    typedef typename osw_plain_math<E>::type A;
    int64_t n = job.x.n;

    for (int64_t row = Team::first_row(); row < job.x.n_rows;
         row += Team::row_step()) {
        osw_plain_row x = osw_plain_row_at(job.x, row);
        double sum = 0.0, squares = 0.0, mean, rstd;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            sum += osw_plain_get<E>(x, i);
        mean = osw_plain_sum<Team>(sum) / (double)n;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes()) {
            double v = osw_plain_get<E>(x, i) - mean;

            squares += v * v;
        }
        squares = osw_plain_sum<Team>(squares);
        rstd = 1.0 / sqrt(squares / (double)n + job.eps);
        for (int64_t i = Team::lane(); i < n; i += Team::lanes())
            osw_plain_put<E>(
                job.out, job.dtype, row * n + i,
                (A)((osw_plain_get<E>(x, i) - mean) * rstd) *
                        osw_plain_norm_factor<E>(job.weight, i, 1) +
                    osw_plain_norm_factor<E>(job.bias, i, 0));
        if (Team::lane() == 0) {
            osw_store(job.stat, job.mean + row * (job.stat.bits / 8), mean);
            osw_store(job.stat, job.rstd + row * (job.stat.bits / 8), rstd);
        }
    }
}

extern "C" int native_layer_norm_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {};
    norm_job job = {};
    int rc = osw_layer_norm_open(call, &l);
    const osw_tensor *t[] = {l.x, l.weight, l.bias};

    if (rc)
        return rc;
    if (osw_plain_norm_rows(&job.x, &l, l.x) ||
        osw_plain_norm_vector(&job.weight, l.weight) ||
        osw_plain_norm_vector(&job.bias, l.bias))
        return OSW_UNSUPPORTED;
    job.out = (char *)osw_data(l.out);
    job.mean = (char *)osw_data(l.out_mean);
    job.rstd = (char *)osw_data(l.out_rstd);
    job.dtype = l.out->dtype;
    job.stat = l.out_mean->dtype;
    job.eps = l.eps;
    return osw_plain_by_floats(t, 3, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(
            l.n_rows, l.n, job.x.stride != 1, [&](auto team) {
                return osw_plain_launch_rows(
                    call, team, normalize<decltype(team), E>, l.n_rows, job);
            });
    });
}
