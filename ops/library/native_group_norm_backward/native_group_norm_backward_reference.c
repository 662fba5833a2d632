/* ops/library/native_group_norm_backward/native_group_norm_backward_reference.c
 * - with y = (x - mean) * rstd and g = grad * weight:
 *
 *     dx = rstd * (g - mean of g - y * mean of (g * y))    over each group
 *     dweight = sum of grad * y, dbias = sum of grad       over each channel
 */
#include "../shared/group_norm.h"

int native_group_norm_backward_meta(const osw_call *call)
{
    struct osw_group_norm p = {0};

    return osw_group_norm_open_backward(call, &p);
}

static double y_of(const struct osw_group_norm *p, struct osw_spot s)
{
    int64_t k = s.n * p->groups + s.c / p->depth;

    return (osw_group_norm_get(&p->x, s) - osw_channels_get(&p->mean, k, 0)) *
           osw_channels_get(&p->rstd, k, 1);
}

static double g_of(const struct osw_group_norm *p, struct osw_spot s)
{
    return osw_group_norm_get(&p->grad, s) *
           osw_channels_get(&p->weight, s.c, 1);
}

static void set_group(const struct osw_group_norm *p, int64_t k, double *dx)
{
    int64_t image = k / p->groups, group = k % p->groups;
    double sum = 0.0, sum_y = 0.0, n = (double)p->n;

    for (int64_t i = 0; i < p->n; i++) {
        struct osw_spot s = osw_group_norm_spot(p, image, group, i);

        sum += g_of(p, s) / n;
        sum_y += g_of(p, s) * y_of(p, s) / n;
    }
    for (int64_t i = 0; i < p->n; i++) {
        struct osw_spot s = osw_group_norm_spot(p, image, group, i);

        dx[osw_group_norm_at(&p->out, s)] =
            osw_channels_get(&p->rstd, k, 1) *
            (g_of(p, s) - sum - y_of(p, s) * sum_y);
    }
}

/* Sums of channel c of grad * y, or of grad; and their norm. */
static double channel(const struct osw_group_norm *p, int64_t c, int with_y,
                      double *norm)
{
    double sum = 0.0, squares = 0.0;
    struct osw_spot s = {.c = c};

    for (s.n = 0; s.n < p->x.n; s.n++)
        for (s.y = 0; s.y < p->x.y; s.y++)
            for (s.x = 0; s.x < p->x.x; s.x++) {
                double v = osw_group_norm_get(&p->grad, s) *
                           (with_y ? y_of(p, s) : 1.0);

                sum += v;
                squares += v * v;
            }
    *norm = sqrt(squares);
    return sum;
}

static int set_channels(const osw_call *call, const struct osw_group_norm *p,
                        int output, int with_y)
{
    double *exact = output >= 0 ? osw_output_exact(call, output) : NULL;
    double *norm = exact ? osw_output_norm(call, output) : NULL;

    if (output >= 0 && !exact)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t c = 0; c < (exact ? p->x.c : 0); c++) {
        double of_channel;

        exact[c] = channel(p, c, with_y, &of_channel);
        if (norm)
            norm[c] = of_channel;
    }
    return 0;
}

int native_group_norm_backward_reference(const osw_call *call)
{
    struct osw_group_norm p = {0};
    int rc = osw_group_norm_open_backward(call, &p);
    double *dx;

    if (rc)
        return rc;
    dx = p.i_out >= 0 ? osw_output_exact(call, p.i_out) : NULL;
    if (p.i_out >= 0 && !dx)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t k = 0; k < (dx ? p.x.n * p.groups : 0); k++)
        set_group(&p, k, dx);
    rc = set_channels(call, &p, p.i_dweight, 1);
    return rc ? rc : set_channels(call, &p, p.i_dbias, 0);
}
