/* norm.h - what the implementations of this op share: layer norm along the last
 * dimension, y = (x - mean) / sqrt(var + eps) * weight + bias */
#ifndef OSW_TESTS_NORM_H
#define OSW_TESTS_NORM_H

#include "../mutant.h"

EXPORT int norm_kernel_impl(const osw_call *call);

struct norm {
    struct view x, w, b, y;
    int64_t rows, n;
    float eps;
};

static inline int norm_open(const osw_call *call, struct norm *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *w = osw_arg_tensor(call, 1);
    const osw_tensor *b = osw_arg_tensor(call, 2);
    osw_tensor *y;

    if (!x || !w || !b || x->ndim < 1 || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->w = view_of(w);
    g->b = view_of(b);
    g->y = view_of(y);
    g->n = x->shape[x->ndim - 1];
    g->rows = g->n ? osw_numel(x) / g->n : 0;
    g->eps = (float)osw_arg_float(call, 3, 1e-5);
    return 0;
}

ITEM float norm_x(const struct norm *g, int64_t row, int64_t j)
{
    return (float)view_get(&g->x, row * g->n + j);
}

ITEM float norm_w(const struct norm *g, int64_t j)
{
    return (float)view_get(&g->w, j);
}

ITEM float norm_b(const struct norm *g, int64_t j)
{
    return (float)view_get(&g->b, j);
}

ITEM void norm_set(const struct norm *g, int64_t row, int64_t j, double v)
{
    osw_store(g->y.dtype, view_at(&g->y, row * g->n + j), v);
}

ITEM float norm_mean(const struct norm *g, int64_t row)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += norm_x(g, row, j);
    return sum / (float)g->n;
}

/* The sum of the squared distances from the mean. */
ITEM float norm_squares(const struct norm *g, int64_t row, float mean)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        float d = norm_x(g, row, j) - mean;

        sum += d * d;
    }
    return sum;
}

/* The row from its statistics. */
ITEM void norm_apply(const struct norm *g, int64_t row, float mean, float scale)
{
    for (int64_t j = 0; j < g->n; j++)
        norm_set(g, row, j,
                 (double)((norm_x(g, row, j) - mean) * scale * norm_w(g, j) +
                          norm_b(g, j)));
}

/* An implementation from what happens to one row: void row(g, r). */
#define NORM_ROWS(row)                                                         \
    EACH(row, struct norm)                                                     \
    int norm_kernel_impl(const osw_call *call)                                 \
    {                                                                          \
        struct norm g;                                                         \
        int rc = norm_open(call, &g);                                          \
                                                                               \
        if (!rc)                                                               \
            row##_each(call, &g, g.rows);                                      \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_NORM_H */
