/* scale.h - what the implementations of this op share: y = factor * x, f32; its
 * implementations are about what a process does, not about numbers */
#ifndef OSW_TESTS_SCALE_H
#define OSW_TESTS_SCALE_H

#include "../mutant.h"

EXPORT int scale_kernel_impl(const osw_call *call);

struct scale {
    const float *x;
    float *y;
    int64_t n;
    float factor;
};

static inline int scale_open(const osw_call *call, struct scale *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = (const float *)osw_data(x);
    g->y = (float *)osw_data(y);
    g->n = osw_numel(x);
    g->factor = (float)osw_arg_float(call, 1, 1.0);
    return 0;
}

ITEM void scale_right(const struct scale *g, int64_t i)
{
    g->y[i] = g->factor * g->x[i];
}

EACH(scale_right, struct scale)

/* The right result, enqueued where it belongs. */
static inline int scale_all(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        scale_right_each(call, &g, g.n);
    return rc;
}

#endif /* OSW_TESTS_SCALE_H */
