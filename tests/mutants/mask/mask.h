/* mask.h - what the implementations of this op share: y = x * mask */
#ifndef OSW_TESTS_MASK_H
#define OSW_TESTS_MASK_H

#include "../mutant.h"

EXPORT int mask_kernel_impl(const osw_call *call);

struct mask {
    struct view x, mask, y;
    int64_t n;
};

static inline int mask_open(const osw_call *call, struct mask *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *mask = osw_arg_tensor(call, 1);
    osw_tensor *y;

    if (!x || !mask || osw_numel(x) != osw_numel(mask))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->mask = view_of(mask);
    g->y = view_of(y);
    g->n = osw_numel(y);
    return 0;
}

#endif /* OSW_TESTS_MASK_H */
