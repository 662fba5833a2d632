/* quotient.h - what the implementations of this op share: integers divided by
 * a number above 0, rounded down
 */
#ifndef OSW_TESTS_QUOTIENT_H
#define OSW_TESTS_QUOTIENT_H

#include "../mutant.h"

EXPORT int quotient_kernel_impl(const osw_call *call);

struct quotient {
    struct view x, y;
    int64_t by, n;
};

static inline int quotient_open(const osw_call *call, struct quotient *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->by = osw_arg_int(call, 1, 1);
    g->n = osw_numel(y);
    return g->by > 0 ? 0 : OSW_UNSUPPORTED;
}

ITEM int64_t quotient_x(const struct quotient *g, int64_t i)
{
    return osw_load_int(g->x.dtype, view_at(&g->x, view_offset(&g->x, i)));
}

ITEM void quotient_set(const struct quotient *g, int64_t i, int64_t v)
{
    memcpy(view_at(&g->y, view_offset(&g->y, i)), &v, sizeof(v));
}

ITEM int64_t quotient_right(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

/* An implementation from what happens to one element: void one(g, i). */
#define QUOTIENT_ELEMENTS(one)                                                 \
    EACH(one, struct quotient)                                                 \
    int quotient_kernel_impl(const osw_call *call)                             \
    {                                                                          \
        struct quotient g;                                                     \
        int rc = quotient_open(call, &g);                                      \
                                                                               \
        if (!rc)                                                               \
            one##_each(call, &g, g.n);                                         \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_QUOTIENT_H */
