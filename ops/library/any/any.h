/* ops/library/any/any.h - the argument and output of any and all */
#ifndef OSW_LIBRARY_ANY_H
#define OSW_LIBRARY_ANY_H

#include "../shared/rules.h"

struct osw_any {
    const osw_tensor *self;
    osw_tensor *out; /* a single truth, as a u8 where self is u8 */
};

static inline int osw_any_open(const osw_call *call, struct osw_any *a)
{
    osw_dtype t = osw_rule_dtype(OSW_BOOL, 8);

    a->self = osw_arg_tensor(call, 0);
    if (!a->self || osw_rule_category(a->self->dtype) < 0)
        return OSW_UNSUPPORTED;
    if (osw_is(a->self, OSW_UINT, 8))
        t = a->self->dtype;
    a->out = osw_output(call, 0, t, 0, NULL, NULL);
    return a->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_ANY_H */
