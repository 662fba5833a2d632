/* shared/loss_scale.h - (grad_output, self, target, reduction, ...): the
 * gradient is grad_output * scale * that of the loss of a pair, where scale is
 * 1, or that of a mean
 */
#ifndef OSW_LIBRARY_LOSS_SCALE_H
#define OSW_LIBRARY_LOSS_SCALE_H

#include "rules.h"

/* The scale is the fourth operand: no argument, so it is what None stands for.
 * Of one element it is `one`.  `reduction_at`: the argument's number.
 */
static inline struct osw_rule osw_loss_rule_at(const osw_call *call, double one,
                                               int reduction_at)
{
    struct osw_rule rule;
    const osw_tensor *self = osw_arg_tensor(call, 1);
    const osw_tensor *target = osw_arg_tensor(call, 2);
    int64_t shape[OSW_RULE_DIMS], n = 1;
    int32_t ndim = 0;

    memset(&rule, 0, sizeof(rule));
    rule.n = 4;
    for (int i = 0; i < 3; i++)
        rule.arg[i] = i;
    rule.arg[3] = -1;
    rule.promote = 7;
    if (osw_arg_int(call, reduction_at, 1) == 1 && self && target &&
        osw_rule_broadcast(self, &ndim, shape) &&
        osw_rule_broadcast(target, &ndim, shape))
        for (int32_t d = 0; d < ndim; d++)
            n *= shape[d];
    rule.none[3] = n ? one / (double)n : one;
    return rule;
}

/* (grad_output, self, target, reduction) */
static inline struct osw_rule osw_loss_rule(const osw_call *call, double one)
{
    return osw_loss_rule_at(call, one, 3);
}

/* (grad_output, self, target, reduction, width); width is the fifth operand. */
static inline struct osw_rule osw_loss_rule_of_width(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_at(call, 1.0, 3);

    rule.n = 5;
    rule.arg[4] = 4;
    return rule;
}

#endif /* OSW_LIBRARY_LOSS_SCALE_H */
