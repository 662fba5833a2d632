/* largest.h - what the implementations of this op share: where the largest
 * element of the last dimension is, the first one of them
 */
#ifndef OSW_TESTS_LARGEST_H
#define OSW_TESTS_LARGEST_H

#include "../mutant.h"

EXPORT int largest_kernel_impl(const osw_call *call);

struct largest {
    struct view x, y; /* [..., n], [...] */
    int64_t rows, n;
};

static inline int largest_open(const osw_call *call, struct largest *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype i64 = {OSW_INT, 64, 1};
    osw_tensor *y;

    if (!x || x->ndim < 1 || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, i64, x->ndim - 1, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->rows = osw_numel(y);
    g->n = x->shape[x->ndim - 1];
    return 0;
}

ITEM float largest_x(const struct largest *g, int64_t row, int64_t j)
{
    return (float)view_get(&g->x, row * g->n + j);
}

/* An implementation from the numbers that are compared: float key(g, row, j).
 */
#define LARGEST_ROWS(key)                                                      \
    ITEM void set_##key(const struct largest *g, int64_t row)                  \
    {                                                                          \
        int64_t best = 0;                                                      \
                                                                               \
        for (int64_t j = 1; j < g->n; j++)                                     \
            if (key(g, row, j) > key(g, row, best))                            \
                best = j;                                                      \
        memcpy(view_at(&g->y, view_offset(&g->y, row)), &best, sizeof(best));  \
    }                                                                          \
    EACH(set_##key, struct largest)                                            \
    int largest_kernel_impl(const osw_call *call)                              \
    {                                                                          \
        struct largest g;                                                      \
        int rc = largest_open(call, &g);                                       \
                                                                               \
        if (!rc)                                                               \
            set_##key##_each(call, &g, g.rows);                                \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_LARGEST_H */
