/* logical_and - is neither of both 0? */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

OSW_KERNEL(in_float, float, a != 0 && b != 0)
OSW_KERNEL(in_double, double, a != 0 && b != 0)
OSW_KERNEL(in_int, int64_t, a != 0 && b != 0)

int logical_and_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
