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

struct row {
    const struct osw_layer_norm *l;
    int64_t row;
};

static double normal(const struct row *r, int64_t i)
{
    return (osw_get(r->l->x, r->row * r->l->n + i) -
            osw_get(r->l->mean, r->row)) *
           osw_get(r->l->rstd, r->row);
}

static double gradient(const struct row *r, int64_t i)
{
    return osw_get(r->l->grad, r->row * r->l->n + i);
}

static double weighted(const struct row *r, int64_t i)
{
    return gradient(r, i) * (r->l->weight ? osw_get(r->l->weight, i) : 1.0);
}

static void row_dx(const struct row *r, double *dx)
{
    int64_t n = r->l->n;
    double sum = 0.0, sum_y = 0.0;

    for (int64_t i = 0; i < n; i++) {
        sum += weighted(r, i);
        sum_y += weighted(r, i) * normal(r, i);
    }
    for (int64_t i = 0; i < n; i++)
        dx[i] =
            osw_get(r->l->rstd, r->row) * (weighted(r, i) - sum / (double)n -
                                           normal(r, i) * sum_y / (double)n);
}

int native_layer_norm_backward_reference(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open_backward(call, &l);
    double *dx, *dweight, *dbias;

    if (rc)
        return rc;
    dx = l.dx ? osw_output_exact(call, l.i_dx) : NULL;
    dweight = l.dweight ? osw_output_exact(call, l.i_dweight) : NULL;
    dbias = l.dbias ? osw_output_exact(call, l.i_dbias) : NULL;
    for (int64_t i = 0; i < l.n; i++) {
        if (dweight)
            dweight[i] = 0.0;
        if (dbias)
            dbias[i] = 0.0;
    }
    for (int64_t row = 0; row < l.n_rows; row++) {
        struct row r = {&l, row};

        if (dx)
            row_dx(&r, dx + row * l.n);
        for (int64_t i = 0; dweight && i < l.n; i++)
            dweight[i] += gradient(&r, i) * normal(&r, i);
        for (int64_t i = 0; dbias && i < l.n; i++)
            dbias[i] += gradient(&r, i);
    }
    return (l.dx && !dx) || (l.dweight && !dweight) || (l.dbias && !dbias)
               ? OSW_ERROR
               : 0;
}
