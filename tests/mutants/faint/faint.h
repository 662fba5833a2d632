/* faint.h - what the implementations of this op share: y = x / 10^7 */
#ifndef OSW_TESTS_FAINT_H
#define OSW_TESTS_FAINT_H

#include "../mutant.h"

EXPORT int faint_kernel_impl(const osw_call *call);

struct faint {
    struct view x, y;
    int64_t n;
};

static inline int faint_open(const osw_call *call, struct faint *g)
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

/* An implementation from what becomes of one value: double element(x). */
#define FAINT_ELEMENTS(element)                                                \
    ITEM void set_##element(const struct faint *g, int64_t i)                  \
    {                                                                          \
        view_set(&g->y, i, element(view_get(&g->x, i)));                       \
    }                                                                          \
    EACH(set_##element, struct faint)                                          \
    int faint_kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct faint g;                                                        \
        int rc = faint_open(call, &g);                                         \
                                                                               \
        if (!rc)                                                               \
            set_##element##_each(call, &g, g.n);                               \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_FAINT_H */
