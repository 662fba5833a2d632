/* scale_.h - what the implementations of this op share: x = factor * x in
 * place, f32 */
#ifndef OSW_TESTS_SCALE_IN_PLACE_H
#define OSW_TESTS_SCALE_IN_PLACE_H

#include "../mutant.h"

EXPORT int scale__kernel_impl(const osw_call *call);

struct scale {
    float *x;
    int64_t n;
    float factor;
};

static inline int scale_open(const osw_call *call, struct scale *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x) ||
        !osw_output_alias(call, 0, 0))
        return OSW_UNSUPPORTED;
    g->x = (float *)osw_data(x);
    g->n = osw_numel(x);
    g->factor = (float)osw_arg_float(call, 1, 1.0);
    return 0;
}

ITEM void scale_right(const struct scale *g, int64_t i)
{
    g->x[i] = g->factor * g->x[i];
}

EACH(scale_right, struct scale)

static inline int scale_all(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        scale_right_each(call, &g, g.n);
    return rc;
}

#endif /* OSW_TESTS_SCALE_IN_PLACE_H */
