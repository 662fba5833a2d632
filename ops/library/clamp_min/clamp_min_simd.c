/* clamp_min - max(self, min), NaN if either is */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

OSW_KERNEL(in_float, float, a != a || a > b ? a : b)
OSW_KERNEL(in_double, double, a != a || a > b ? a : b)
OSW_KERNEL(in_int, int64_t, a > b ? a : b)

int clamp_min_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
