/* sigmoid_ - self = 1 / (1 + exp(-self)) */
#include "../shared/elementwise.h"
#include "../shared/vecmath.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, 1.0f / (1.0f + osw_vecmath_exp(-a)))
OSW_KERNEL(in_double, double, 1.0 / (1.0 + exp(-a)))

int sigmoid__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
