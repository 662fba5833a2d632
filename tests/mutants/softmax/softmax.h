/* softmax.h - what the implementations of this op share: exp(x - max) over its
 * sum, along the last dimension */
#ifndef OSW_TESTS_SOFTMAX_H
#define OSW_TESTS_SOFTMAX_H

#include "../mutant.h"

EXPORT int softmax_kernel_impl(const osw_call *call);

struct softmax {
    struct view x, y;
    int64_t rows, n;
    float *scratch; /* of those that ask for some */
};

static inline int softmax_open(const osw_call *call, struct softmax *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || x->ndim < 1 || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->n = x->shape[x->ndim - 1];
    g->rows = g->n ? osw_numel(x) / g->n : 0;
    g->scratch = NULL;
    return 0;
}

ITEM float softmax_x(const struct softmax *g, int64_t row, int64_t j)
{
    return (float)view_get(&g->x, row * g->n + j);
}

ITEM void softmax_set(const struct softmax *g, int64_t row, int64_t j, double v)
{
    osw_store(g->y.dtype, view_at(&g->y, row * g->n + j), v);
}

ITEM float softmax_max(const struct softmax *g, int64_t row)
{
    float max = -INFINITY;

    for (int64_t j = 0; j < g->n; j++)
        max = fmaxf(max, softmax_x(g, row, j));
    return max;
}

/* The sum of the exponentials of a row. */
ITEM float softmax_sum(const struct softmax *g, int64_t row, float max)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += expf(softmax_x(g, row, j) - max);
    return sum;
}

/* An implementation from what happens to one row: void row(g, r). */
#define SOFTMAX_ROWS(row)                                                      \
    EACH(row, struct softmax)                                                  \
    int softmax_kernel_impl(const osw_call *call)                              \
    {                                                                          \
        struct softmax g;                                                      \
        int rc = softmax_open(call, &g);                                       \
                                                                               \
        if (!rc)                                                               \
            row##_each(call, &g, g.rows);                                      \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_SOFTMAX_H */
