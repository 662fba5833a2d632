/* expm1 - exp(self) - 1, of integers as f32 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

OSW_KERNEL(in_float, float, expm1(a))
OSW_KERNEL(in_double, double, expm1(a))

int expm1_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
