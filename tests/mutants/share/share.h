/* share.h - what the implementations of this op share: the mean over the last
 * dimension as f32, of integers too */
#ifndef OSW_TESTS_SHARE_H
#define OSW_TESTS_SHARE_H

#include "../mutant.h"

EXPORT int share_kernel_impl(const osw_call *call);

struct share {
    struct view x, y; /* [..., n], [...] */
    int64_t rows, n;
};

static inline int share_open(const osw_call *call, struct share *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype f32 = {OSW_FLOAT, 32, 1};
    osw_tensor *y;

    if (!x || x->ndim < 1 || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, f32, x->ndim - 1, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->rows = osw_numel(y);
    g->n = x->shape[x->ndim - 1];
    return 0;
}

ITEM double share_x(const struct share *g, int64_t row, int64_t j)
{
    return osw_load(g->x.dtype,
                    view_at(&g->x, view_offset(&g->x, row * g->n + j)));
}

ITEM void share_set(const struct share *g, int64_t row, float v)
{
    osw_store(g->y.dtype, view_at(&g->y, row), (double)v);
}

/* An implementation from what happens to a row: void mean(g, row). */
#define SHARE_ROWS(mean)                                                       \
    EACH(mean, struct share)                                                   \
    int share_kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct share g;                                                        \
        int rc = share_open(call, &g);                                         \
                                                                               \
        if (!rc)                                                               \
            mean##_each(call, &g, g.rows);                                     \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_SHARE_H */
