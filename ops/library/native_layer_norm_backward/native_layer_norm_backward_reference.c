/* ops/library/native_layer_norm_backward/native_layer_norm_backward_reference.c
 * - with y = (x - mean) * rstd and g = grad * weight:
 *
 *     dx = rstd * (g - mean of g - y * mean of (g * y))    along each row
 *     dweight = sum of grad * y, dbias = sum of grad       over all rows
 */
#include "../layer_norm.h"

int native_layer_norm_backward_meta(const osw_call *call)
{
    struct osw_layer_norm l = {0};

    return osw_layer_norm_open_backward(call, &l);
}

/* y [n], g [n] as above. */
static void row_dx(const struct osw_layer_norm *l, double rstd, const double *y,
                   const double *g, double *dx)
{
    double mean_g = 0.0, mean_gy = 0.0;

    for (int64_t i = 0; i < l->n; i++) {
        mean_g += g[i] / (double)l->n;
        mean_gy += g[i] * y[i] / (double)l->n;
    }
    for (int64_t i = 0; i < l->n; i++)
        dx[i] = rstd * (g[i] - mean_g - y[i] * mean_gy);
}

int native_layer_norm_backward_reference(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open_backward(call, &l);
    double *dx, *dweight, *dbias, *y, *g;

    if (rc)
        return rc;
    dx = l.dx ? osw_output_exact(call, l.i_dx) : NULL;
    dweight = l.dweight ? osw_output_exact(call, l.i_dweight) : NULL;
    dbias = l.dbias ? osw_output_exact(call, l.i_dbias) : NULL;
    y = (double *)osw_workspace(call, (size_t)(2 * l.n) * sizeof(double) + 8);
    if ((l.dx && !dx) || (l.dweight && !dweight) || (l.dbias && !dbias) || !y)
        return OSW_ERROR;
    g = y + l.n;
    for (int64_t i = 0; i < l.n; i++) {
        if (dweight)
            dweight[i] = 0.0;
        if (dbias)
            dbias[i] = 0.0;
    }
    for (int64_t row = 0; row < l.n_rows; row++) {
        double mean = osw_get(l.mean, row), rstd = osw_get(l.rstd, row);

        osw_rows_read_flat(l.x, row * l.n, l.n, y);
        osw_rows_read_flat(l.grad, row * l.n, l.n, g);
        for (int64_t i = 0; i < l.n; i++) {
            y[i] = (y[i] - mean) * rstd;
            if (dweight)
                dweight[i] += g[i] * y[i];
            if (dbias)
                dbias[i] += g[i];
            if (l.weight)
                g[i] *= osw_get(l.weight, i);
        }
        if (dx)
            row_dx(&l, rstd, y, g, dx + row * l.n);
    }
    return 0;
}
