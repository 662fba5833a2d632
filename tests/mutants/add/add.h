/* add.h - what the implementations of this op share: y = a + alpha * b */
#ifndef OSW_TESTS_ADD_H
#define OSW_TESTS_ADD_H

#include "../mutant.h"

EXPORT int add_kernel_impl(const osw_call *call);

struct add {
    struct view a, b, y;
    int64_t n; /* elements of y */
    double alpha;
};

/* The shape that both are broadcast to. */
static inline int32_t add_shape(const osw_tensor *a, const osw_tensor *b,
                                int64_t *shape)
{
    int32_t ndim = a->ndim > b->ndim ? a->ndim : b->ndim;

    for (int32_t d = 0; d < ndim; d++) {
        int32_t da = d - (ndim - a->ndim), db = d - (ndim - b->ndim);

        shape[d] = da >= 0 ? a->shape[da] : 1;
        if (shape[d] == 1 && db >= 0)
            shape[d] = b->shape[db];
    }
    return ndim;
}

static inline int add_open(const osw_call *call, struct add *g)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    int64_t shape[VIEW_DIMS];
    osw_tensor *y;
    int32_t ndim;

    if (!a || !b || a->ndim > VIEW_DIMS || b->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    ndim = add_shape(a, b, shape);
    y = osw_output(call, 0, a->dtype, ndim, shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->a = view_of(a);
    g->b = view_of(b);
    g->y = view_of(y);
    g->n = osw_numel(y);
    g->alpha = osw_arg_float(call, 2, 1.0);
    return 0;
}

ITEM double add_a(const struct add *g, int64_t i)
{
    return osw_load(g->a.dtype,
                    view_at(&g->a, view_offset_in(&g->a, &g->y, i)));
}

ITEM double add_b(const struct add *g, int64_t i)
{
    return osw_load(g->b.dtype,
                    view_at(&g->b, view_offset_in(&g->b, &g->y, i)));
}

ITEM double add_sum(const struct add *g, int64_t i)
{
    return add_a(g, i) + g->alpha * add_b(g, i);
}

/* One right element. */
ITEM void add_right(const struct add *g, int64_t i)
{
    view_set(&g->y, i, add_sum(g, i));
}

/* An implementation from what one element is: double element(g, i). */
#define ADD_ELEMENTS(element)                                                  \
    ITEM void set_##element(const struct add *g, int64_t i)                    \
    {                                                                          \
        view_set(&g->y, i, element(g, i));                                     \
    }                                                                          \
    EACH(set_##element, struct add)                                            \
    int add_kernel_impl(const osw_call *call)                                  \
    {                                                                          \
        struct add g;                                                          \
        int rc = add_open(call, &g);                                           \
                                                                               \
        if (!rc)                                                               \
            set_##element##_each(call, &g, g.n);                               \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_ADD_H */
