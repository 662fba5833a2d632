/* log1p - the logarithm of 1 + self, of integers as f32 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

OSW_KERNEL(in_float, float, log1p(a))
OSW_KERNEL(in_double, double, log1p(a))

int log1p_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
