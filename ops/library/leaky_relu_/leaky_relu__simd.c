/* leaky_relu_ - self *= negative_slope where it is not above 0 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, a > 0 ? a : a * b)
OSW_KERNEL(in_double, double, a > 0 ? a : a * b)

int leaky_relu__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
