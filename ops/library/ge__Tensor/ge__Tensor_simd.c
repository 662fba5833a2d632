/* ge.Tensor - self >= other */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

OSW_KERNEL(in_float, float, a >= b)
OSW_KERNEL(in_double, double, a >= b)
OSW_KERNEL(in_int, int64_t, a >= b)

int ge__Tensor_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
