/* tanh_ - self = its hyperbolic tangent */
#include "../shared/elementwise.h"
#include "../shared/vecmath.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, osw_vecmath_tanh(a))
OSW_KERNEL(in_double, double, tanh(a))

int tanh__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
