/* lerp_.Scalar - self += weight * (end - self) */
#include "../shared/elementwise.h"
#include "../shared/lerp.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 3, .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, OSW_LERP(a, b, c))
OSW_KERNEL(in_double, double, OSW_LERP(a, b, c))

int lerp___Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
