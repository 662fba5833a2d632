/* silu_ - self *= sigmoid(self) */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

#include "../shared/vecmath.h"

OSW_KERNEL(in_float, float, a / (1.0f + osw_vecmath_exp(-a)))
OSW_KERNEL(in_double, double, a / (1.0 + exp(-a)))

int silu__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
