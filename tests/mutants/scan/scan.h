/* scan.h - what the implementations of this op share: cumulative sums along the
 * last dimension */
#ifndef OSW_TESTS_SCAN_H
#define OSW_TESTS_SCAN_H

#include "../mutant.h"

EXPORT int scan_kernel_impl(const osw_call *call);

struct scan {
    struct view x, y;
    int64_t rows, n;
    int ints;
    float *scratch; /* of those that ask for some */
};

static inline int scan_open(const osw_call *call, struct scan *g)
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
    g->ints = !view_is_float(&g->x);
    g->n = x->shape[x->ndim - 1];
    g->rows = g->n ? osw_numel(x) / g->n : 0;
    g->scratch = NULL;
    return 0;
}

ITEM float scan_x(const struct scan *g, int64_t row, int64_t j)
{
    return (float)view_get(&g->x, row * g->n + j);
}

ITEM int64_t scan_int(const struct scan *g, int64_t row, int64_t j)
{
    int64_t at = view_offset(&g->x, row * g->n + j);

    return osw_load_int(g->x.dtype, view_at(&g->x, at));
}

ITEM void scan_set(const struct scan *g, int64_t row, int64_t j, double v)
{
    osw_store(g->y.dtype, view_at(&g->y, row * g->n + j), v);
}

/* Precondition: the output is i64, as its input. */
ITEM void scan_set_int(const struct scan *g, int64_t row, int64_t j, int64_t v)
{
    memcpy(view_at(&g->y, row * g->n + j), &v, sizeof(v));
}

ITEM void scan_ints(const struct scan *g, int64_t row)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum += scan_int(g, row, j);
        scan_set_int(g, row, j, sum);
    }
}

/* An implementation from what happens to one row of floats: void row(g, r). */
#define SCAN_ROWS(row)                                                         \
    ITEM void any_##row(const struct scan *g, int64_t r)                       \
    {                                                                          \
        if (g->ints)                                                           \
            scan_ints(g, r);                                                   \
        else                                                                   \
            row(g, r);                                                         \
    }                                                                          \
    EACH(any_##row, struct scan)                                               \
    int scan_kernel_impl(const osw_call *call)                                 \
    {                                                                          \
        struct scan g;                                                         \
        int rc = scan_open(call, &g);                                          \
                                                                               \
        if (!rc)                                                               \
            any_##row##_each(call, &g, g.rows);                                \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_SCAN_H */
