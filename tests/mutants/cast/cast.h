/* cast.h - what the implementations of this op share: another dtype, rounded to
 * nearest even; to integers toward zero, integers wrap */
#ifndef OSW_TESTS_CAST_H
#define OSW_TESTS_CAST_H

#include "../mutant.h"

EXPORT int cast_kernel_impl(const osw_call *call);

struct cast {
    struct view x, y;
    int64_t n;
};

static inline int cast_open(const osw_call *call, struct cast *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_arg *to = osw_arg_at(call, 1);
    osw_tensor *y;

    if (!x || x->ndim > VIEW_DIMS || to->tag != OSW_ARG_DTYPE)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, to->u.dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->n = osw_numel(y);
    return 0;
}

ITEM int cast_to(const struct cast *g, int code, int bits)
{
    return g->y.dtype.code == code && g->y.dtype.bits == bits;
}

ITEM void cast_right(const struct cast *g, int64_t i)
{
    int64_t v;

    if (g->x.dtype.code == OSW_INT && cast_to(g, OSW_INT, 32)) {
        int32_t low;

        v = osw_load_int(g->x.dtype, view_at(&g->x, view_offset(&g->x, i)));
        low = (int32_t)(uint32_t)v;
        memcpy(view_at(&g->y, i), &low, sizeof(low));
        return;
    }
    view_set(&g->y, i, view_get(&g->x, i));
}

/* An implementation from what happens to one element: void one(g, i). */
#define CAST_ELEMENTS(one)                                                     \
    EACH(one, struct cast)                                                     \
    int cast_kernel_impl(const osw_call *call)                                 \
    {                                                                          \
        struct cast g;                                                         \
        int rc = cast_open(call, &g);                                          \
                                                                               \
        if (!rc)                                                               \
            one##_each(call, &g, g.n);                                         \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_CAST_H */
