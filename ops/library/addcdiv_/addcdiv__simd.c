/* addcdiv_ - self += value * tensor1 / tensor2 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 4,
                                     .arg = {0, 1, 2, 3},
                                     .promote = 7,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, a + d * (b / c))
OSW_KERNEL(in_double, double, a + d * (b / c))

int addcdiv__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
