/* div_.Scalar - self /= other */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2,
                                     .arg = {0, 1},
                                     .promote = 3,
                                     .floating = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, a / b)
OSW_KERNEL(in_double, double, a / b)

int div___Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
