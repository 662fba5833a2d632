/* total.h - what the implementations of this op share: the sum over the last
 * dimension; integers are summed as i64 */
#ifndef OSW_TESTS_TOTAL_H
#define OSW_TESTS_TOTAL_H

#include "../mutant.h"

EXPORT int total_kernel_impl(const osw_call *call);

struct total {
    struct view x, y; /* [..., n], [...] */
    int64_t rows, n;
    int ints;
    float *scratch; /* of those that ask for some */
};

static inline int total_open(const osw_call *call, struct total *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype i64 = {OSW_INT, 64, 1};
    osw_tensor *y;

    if (!x || x->ndim < 1 || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    g->x = view_of(x);
    g->ints = !view_is_float(&g->x);
    y = osw_output(call, 0, g->ints ? i64 : x->dtype, x->ndim - 1, x->shape,
                   NULL);
    if (!y)
        return OSW_ERROR;
    g->y = view_of(y);
    g->rows = osw_numel(y);
    g->n = x->shape[x->ndim - 1];
    g->scratch = NULL;
    return 0;
}

ITEM char *total_at(const struct total *g, int64_t row, int64_t j)
{
    return view_at(&g->x, view_offset(&g->x, row * g->n + j));
}

ITEM float total_x(const struct total *g, int64_t row, int64_t j)
{
    return (float)osw_load(g->x.dtype, total_at(g, row, j));
}

ITEM void total_set(const struct total *g, int64_t row, double v)
{
    osw_store(g->y.dtype, view_at(&g->y, row), v);
}

ITEM void total_set_int(const struct total *g, int64_t row, int64_t v)
{
    memcpy(view_at(&g->y, row), &v, sizeof(v));
}

ITEM int64_t total_of_ints(const struct total *g, int64_t row)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += osw_load_int(g->x.dtype, total_at(g, row, j));
    return sum;
}

/* An implementation from the sum of one row of floats: float sum(g, row). */
#define TOTAL_ROWS(sum)                                                        \
    ITEM void set_##sum(const struct total *g, int64_t row)                    \
    {                                                                          \
        if (g->ints)                                                           \
            total_set_int(g, row, total_of_ints(g, row));                      \
        else                                                                   \
            total_set(g, row, (double)sum(g, row));                            \
    }                                                                          \
    EACH(set_##sum, struct total)                                              \
    int total_kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct total g;                                                        \
        int rc = total_open(call, &g);                                         \
                                                                               \
        if (!rc)                                                               \
            set_##sum##_each(call, &g, g.rows);                                \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_TOTAL_H */
