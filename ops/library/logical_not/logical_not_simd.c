/* logical_not - is it 0? */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_BOOL};

OSW_KERNEL(in_float, float, a == 0)
OSW_KERNEL(in_double, double, a == 0)
OSW_KERNEL(in_int, int64_t, a == 0)

int logical_not_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
