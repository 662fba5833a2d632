/* ops/library/mse_loss_backward/scale.h - (grad_output, self, target,
 * reduction): the gradient is grad_output * scale * (self - target)
 */
#ifndef OSW_LIBRARY_MSE_LOSS_BACKWARD_H
#define OSW_LIBRARY_MSE_LOSS_BACKWARD_H

#include "../shared/rules.h"

/* The scale is the fourth operand: no argument, so it is what None stands for.
 */
static inline struct osw_rule osw_mse_rule(const osw_call *call)
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
    if (osw_arg_int(call, 3, 1) == 1 && self && target &&
        osw_rule_broadcast(self, &ndim, shape) &&
        osw_rule_broadcast(target, &ndim, shape))
        for (int32_t d = 0; d < ndim; d++)
            n *= shape[d];
    rule.none[3] = n ? 2.0 / (double)n : 2.0;
    return rule;
}

#endif /* OSW_LIBRARY_MSE_LOSS_BACKWARD_H */
