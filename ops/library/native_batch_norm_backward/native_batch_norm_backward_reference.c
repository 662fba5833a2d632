/* ops/library/native_batch_norm_backward/native_batch_norm_backward_reference.c
 * - with y = (x - mean) * invstd, over each channel:
 *
 *     dweight = sum of grad * y, dbias = sum of grad
 *     dx = invstd * weight * (grad - mean of grad - y * mean of (grad * y))
 *
 * Without train the mean and the deviation are constants: dx has neither mean.
 */
#include "../shared/batch_norm.h"

int native_batch_norm_backward_meta(const osw_call *call)
{
    struct osw_batch_norm b = {0};

    return osw_batch_norm_open_backward(call, &b);
}

/* Where the results go, in double, and the norms; NULL: not asked for. */
struct exact {
    double *dx, *dweight, *dbias, *weight_norm, *bias_norm;
};

/* 0, or OSW_ERROR. */
static int open_exact(const osw_call *call, const struct osw_batch_norm *b,
                      struct exact *e)
{
    if (b->i_out >= 0)
        e->dx = osw_output_exact(call, b->i_out);
    if (b->i_dweight >= 0)
        e->dweight = osw_output_exact(call, b->i_dweight);
    if (b->i_dbias >= 0)
        e->dbias = osw_output_exact(call, b->i_dbias);
    if (e->dweight)
        e->weight_norm = osw_output_norm(call, b->i_dweight);
    if (e->dbias)
        e->bias_norm = osw_output_norm(call, b->i_dbias);
    return (b->i_out >= 0 && !e->dx) || (b->i_dweight >= 0 && !e->dweight) ||
                   (b->i_dbias >= 0 && !e->dbias)
               ? OSW_ERROR
               : 0;
}

static double y_of(const struct osw_batch_norm *b, int64_t c, int64_t i)
{
    return (osw_batch_norm_get(&b->x, c, i) -
            osw_channels_get(&b->mean, c, 0)) *
           osw_batch_norm_scale(b, c);
}

static void put(double *to, int64_t c, double v)
{
    if (to)
        to[c] = v;
}

static void channel(const struct osw_batch_norm *b, const struct exact *e,
                    int64_t c)
{
    double sum_g = 0.0, sum_gy = 0.0, squares_g = 0.0, squares_gy = 0.0;
    double scale =
        osw_batch_norm_scale(b, c) * osw_channels_get(&b->weight, c, 1);
    int64_t plane = b->out.y * b->out.x;

    for (int64_t i = 0; i < b->n; i++) {
        double g = osw_batch_norm_get(&b->grad, c, i), gy = g * y_of(b, c, i);

        sum_g += g;
        sum_gy += gy;
        squares_g += g * g;
        squares_gy += gy * gy;
    }
    put(e->dweight, c, sum_gy);
    put(e->dbias, c, sum_g);
    put(e->weight_norm, c, sqrt(squares_gy));
    put(e->bias_norm, c, sqrt(squares_g));
    for (int64_t i = 0; e->dx && i < b->n; i++) {
        double g = osw_batch_norm_get(&b->grad, c, i), n = (double)b->n;

        if (b->training)
            g -= sum_g / n + y_of(b, c, i) * sum_gy / n;
        e->dx[osw_image_offset(&b->out, i / plane, c, i / b->out.x % b->out.y,
                               i % b->out.x)] = g * scale;
    }
}

int native_batch_norm_backward_reference(const osw_call *call)
{
    struct osw_batch_norm b = {0};
    struct exact e = {0};
    int rc = osw_batch_norm_open_backward(call, &b);

    if (!rc)
        rc = open_exact(call, &b, &e);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t c = 0; c < b.x.c; c++)
        channel(&b, &e, c);
    return 0;
}
