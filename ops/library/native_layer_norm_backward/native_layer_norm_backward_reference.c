/* ops/library/native_layer_norm_backward/native_layer_norm_backward_reference.c
 * - with y = (x - mean) * rstd and g = grad * weight:
 *
 *     dx = rstd * (g - mean of g - y * mean of (g * y))    along each row
 *     dweight = sum of grad * y, dbias = sum of grad       over all rows
 */
#include "../shared/layer_norm.h"

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

/* Sums over the rows, [n] each, and the squares of what was summed; any may be
 * NULL.
 */
struct sums {
    double *dweight, *dbias, *weight_squares, *bias_squares;
};

static void clear(double *v, int64_t n)
{
    for (int64_t i = 0; v && i < n; i++)
        v[i] = 0.0;
}

static void root(double *v, int64_t n)
{
    for (int64_t i = 0; v && i < n; i++)
        v[i] = sqrt(v[i]);
}

static void add(double *to, double v, double *squares)
{
    if (to)
        *to += v;
    if (squares)
        *squares += v * v;
}

static void add_row(const struct sums *s, int64_t i, double y, double g)
{
    add(s->dweight ? s->dweight + i : NULL, g * y,
        s->weight_squares ? s->weight_squares + i : NULL);
    add(s->dbias ? s->dbias + i : NULL, g,
        s->bias_squares ? s->bias_squares + i : NULL);
}

/* 0, or OSW_ERROR. */
static int open_sums(const osw_call *call, const struct osw_layer_norm *l,
                     struct sums *s)
{
    s->dweight = l->dweight ? osw_output_exact(call, l->i_dweight) : NULL;
    s->dbias = l->dbias ? osw_output_exact(call, l->i_dbias) : NULL;
    s->weight_squares = s->dweight ? osw_output_norm(call, l->i_dweight) : NULL;
    s->bias_squares = s->dbias ? osw_output_norm(call, l->i_dbias) : NULL;
    clear(s->dweight, l->n);
    clear(s->dbias, l->n);
    clear(s->weight_squares, l->n);
    clear(s->bias_squares, l->n);
    return (l->dweight && !s->dweight) || (l->dbias && !s->dbias) ? OSW_ERROR
                                                                  : 0;
}

int native_layer_norm_backward_reference(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open_backward(call, &l);
    struct sums sums = {0};
    double *dx, *y, *g;

    if (rc)
        return rc;
    dx = l.dx ? osw_output_exact(call, l.i_dx) : NULL;
    y = (double *)osw_workspace(call, (size_t)(2 * l.n) * sizeof(double) + 8);
    if ((l.dx && !dx) || !y || open_sums(call, &l, &sums))
        return OSW_ERROR;
    g = y + l.n;
    for (int64_t row = 0; row < l.n_rows; row++) {
        double mean = osw_get(l.mean, row), rstd = osw_get(l.rstd, row);

        osw_rows_read_flat(l.x, row * l.n, l.n, y);
        osw_rows_read_flat(l.grad, row * l.n, l.n, g);
        for (int64_t i = 0; i < l.n; i++) {
            y[i] = (y[i] - mean) * rstd;
            add_row(&sums, i, y[i], g[i]);
            if (l.weight)
                g[i] *= osw_get(l.weight, i);
        }
        if (dx)
            row_dx(&l, rstd, y, g, dx + row * l.n);
    }
    root(sums.weight_squares, l.n);
    root(sums.bias_squares, l.n);
    return 0;
}
