/* ops/library/native_layer_norm_backward/native_layer_norm_backward_plain.cu -
 * the gradient of each row; then those of weight and bias, a block or a thread
 * per column
 */
#include "../shared/plain_rows.cuh"

struct back_job {
    osw_row_view x, grad;
    osw_strided weight; /* data NULL: 1 */
    osw_strided mean, rstd;
    char *dx, *dweight, *dbias; /* contiguous; NULL: not asked for */
    osw_dtype dx_dtype, dweight_dtype, dbias_dtype;
};

template <class Team, class E>
static __global__ void to_rows(const __grid_constant__ back_job job)
{
    typedef typename osw_plain_math<E>::type A;
    int64_t n = job.x.n;

    for (int64_t row = Team::first_row(); row < job.x.n_rows;
         row += Team::row_step()) {
        osw_plain_row x = osw_plain_row_at(job.x, row);
        osw_plain_row grad = osw_plain_row_at(job.grad, row);
        double mean = osw_strided_get(&job.mean, row);
        double rstd = osw_strided_get(&job.rstd, row);
        double sum = 0.0, sum_y = 0.0;

        for (int64_t i = Team::lane(); i < n; i += Team::lanes()) {
            A g = osw_plain_get<E>(grad, i) *
                  osw_plain_norm_factor<E>(job.weight, i, 1);

            sum += g;
            sum_y += g * ((osw_plain_get<E>(x, i) - mean) * rstd);
        }
        sum = osw_plain_sum<Team>(sum) / (double)n;
        sum_y = osw_plain_sum<Team>(sum_y) / (double)n;
        for (int64_t i = Team::lane(); i < n; i += Team::lanes()) {
            A g = osw_plain_get<E>(grad, i) *
                  osw_plain_norm_factor<E>(job.weight, i, 1);
            double y = (osw_plain_get<E>(x, i) - mean) * rstd;

            osw_plain_put<E>(job.dx, job.dx_dtype, row * n + i,
                             (A)(rstd * (g - sum - y * sum_y)));
        }
    }
}

template <class Team, class E>
static __global__ void to_columns(const __grid_constant__ back_job job)
{
    for (int64_t i = Team::first_row(); i < job.x.n; i += Team::row_step()) {
        double dweight = 0.0, dbias = 0.0;

        for (int64_t row = Team::lane(); row < job.x.n_rows;
             row += Team::lanes()) {
            double x = osw_plain_get<E>(osw_plain_row_at(job.x, row), i);
            double g = osw_plain_get<E>(osw_plain_row_at(job.grad, row), i);

            dweight += g * ((x - osw_strided_get(&job.mean, row)) *
                            osw_strided_get(&job.rstd, row));
            dbias += g;
        }
        dweight = osw_plain_sum<Team>(dweight);
        dbias = osw_plain_sum<Team>(dbias);
        if (Team::lane() == 0 && job.dweight)
            osw_store(job.dweight_dtype,
                      job.dweight + i * (job.dweight_dtype.bits / 8), dweight);
        if (Team::lane() == 0 && job.dbias)
            osw_store(job.dbias_dtype,
                      job.dbias + i * (job.dbias_dtype.bits / 8), dbias);
    }
}

static void set_output(char **data, osw_dtype *dtype, const osw_tensor *t)
{
    if (t) {
        *data = (char *)osw_data(t);
        *dtype = t->dtype;
    }
}

/* 0, or OSW_UNSUPPORTED. */
static int job_of(back_job *job, const struct osw_layer_norm *l)
{
    set_output(&job->dx, &job->dx_dtype, l->dx);
    set_output(&job->dweight, &job->dweight_dtype, l->dweight);
    set_output(&job->dbias, &job->dbias_dtype, l->dbias);
    return osw_plain_norm_rows(&job->x, l, l->x) ||
                   osw_plain_norm_rows(&job->grad, l, l->grad) ||
                   osw_plain_norm_vector(&job->weight, l->weight) ||
                   osw_strided_of(&job->mean, l->mean) ||
                   osw_strided_of(&job->rstd, l->rstd)
               ? OSW_UNSUPPORTED
               : 0;
}

extern "C" int native_layer_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {};
    back_job job = {};
    int rc = osw_layer_norm_open_backward(call, &l);
    const osw_tensor *t[] = {l.x, l.grad, l.weight};

    if (!rc)
        rc = job_of(&job, &l);
    if (!rc && l.dx)
        rc = osw_plain_by_floats(t, 3, [&](auto e) {
            typedef decltype(e) E;

            return osw_plain_by_team(
                l.n_rows, l.n, job.x.stride != 1, [&](auto team) {
                    return osw_plain_launch_rows(
                        call, team, to_rows<decltype(team), E>, l.n_rows, job);
                });
        });
    if (rc || (!l.dweight && !l.dbias))
        return rc;
    return osw_plain_by_floats(t, 2, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(l.n, l.n_rows, 1, [&](auto team) {
            return osw_plain_launch_rows(
                call, team, to_columns<decltype(team), E>, l.n, job);
        });
    });
}
