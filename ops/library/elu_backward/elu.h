/* ops/library/elu_backward/elu.h - (grad_output, alpha, scale, input_scale,
 * is_result, self_or_result): operands are the gradient, self or the result,
 * and the three numbers
 */
#ifndef OSW_LIBRARY_ELU_BACKWARD_H
#define OSW_LIBRARY_ELU_BACKWARD_H

#include "../shared/rules.h"

static const struct osw_rule osw_elu_rule = {
    .n = 5, .arg = {0, 5, 1, 2, 3}, .promote = 3};

static inline int osw_elu_is_result(const osw_call *call)
{
    return osw_arg_int(call, 4, 0) != 0;
}

#endif /* OSW_LIBRARY_ELU_BACKWARD_H */
