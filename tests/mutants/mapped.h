/* mapped.h - what the mutants of an op share that makes one value of one value
 */
#ifndef OSW_TESTS_MAPPED_H
#define OSW_TESTS_MAPPED_H

#include "mutant.h"

struct mapped {
    struct view x, y;
    int64_t n;
};

static inline int mapped_open(const osw_call *call, struct mapped *g)
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

/* An implementation of `op` from what becomes of one value: type element(x),
 * in float or double.
 */
#define MAPPED(op, type, element)                                              \
    ITEM void set_##element(const struct mapped *g, int64_t i)                 \
    {                                                                          \
        view_set(&g->y, i, (double)element((type)view_get(&g->x, i)));         \
    }                                                                          \
    EACH(set_##element, struct mapped)                                         \
    int op##_kernel_impl(const osw_call *call)                                 \
    {                                                                          \
        struct mapped g;                                                       \
        int rc = mapped_open(call, &g);                                        \
                                                                               \
        if (!rc)                                                               \
            set_##element##_each(call, &g, g.n);                               \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_MAPPED_H */
