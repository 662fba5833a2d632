/* clip_.h - what the implementations of this op share: x = min(max(x, lo), hi)
 * in place; NaN stays NaN */
#ifndef OSW_TESTS_CLIP_H
#define OSW_TESTS_CLIP_H

#include "../mutant.h"

EXPORT int clip__kernel_impl(const osw_call *call);

struct clip {
    struct view x;
    int64_t n;
    float lo, hi;
    float *scratch; /* of those that ask for some */
};

static inline int clip_open(const osw_call *call, struct clip *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    if (!x || x->ndim > VIEW_DIMS || !osw_output_alias(call, 0, 0))
        return OSW_UNSUPPORTED;
    g->x = view_of(x);
    g->n = osw_numel(x);
    g->lo = (float)osw_arg_float(call, 1, 0.0);
    g->hi = (float)osw_arg_float(call, 2, 0.0);
    g->scratch = NULL;
    return 0;
}

ITEM float clip_right(const struct clip *g, float x)
{
    if (x != x)
        return x;
    if (x < g->lo)
        return g->lo;
    return x > g->hi ? g->hi : x;
}

/* An implementation from what becomes of one value: float value(g, x). */
#define CLIP_VALUES(value)                                                     \
    ITEM void set_##value(const struct clip *g, int64_t i)                     \
    {                                                                          \
        view_set(&g->x, i, (double)value(g, (float)view_get(&g->x, i)));       \
    }                                                                          \
    EACH(set_##value, struct clip)                                             \
    int clip__kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct clip g;                                                         \
        int rc = clip_open(call, &g);                                          \
                                                                               \
        if (!rc)                                                               \
            set_##value##_each(call, &g, g.n);                                 \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_CLIP_H */
