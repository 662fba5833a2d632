/* leaky_relu - self where it is above 0, else self * negative_slope */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 1};

OSW_KERNEL(in_float, float, a > 0 ? a : a * b)
OSW_KERNEL(in_double, double, a > 0 ? a : a * b)

int leaky_relu_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
