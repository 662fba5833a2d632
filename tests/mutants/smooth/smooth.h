/* smooth.h - what the implementations of this op share: y = x / sqrt(1 + x^2),
 * whose errors are bounded by those of pass__native */
#ifndef OSW_TESTS_SMOOTH_H
#define OSW_TESTS_SMOOTH_H

#include "../mutant.h"

EXPORT int smooth_kernel_impl(const osw_call *call);

struct smooth {
    struct view x, y;
    int64_t n;
};

static inline int smooth_open(const osw_call *call, struct smooth *g)
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
    g->n = osw_numel(y);
    return 0;
}

/* An implementation from what becomes of one value: float element(x). */
#define SMOOTH_ELEMENTS(element)                                               \
    ITEM void set_##element(const struct smooth *g, int64_t i)                 \
    {                                                                          \
        view_set(&g->y, i, (double)element((float)view_get(&g->x, i)));        \
    }                                                                          \
    EACH(set_##element, struct smooth)                                         \
    int smooth_kernel_impl(const osw_call *call)                               \
    {                                                                          \
        struct smooth g;                                                       \
        int rc = smooth_open(call, &g);                                        \
                                                                               \
        if (!rc)                                                               \
            set_##element##_each(call, &g, g.n);                               \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_SMOOTH_H */
