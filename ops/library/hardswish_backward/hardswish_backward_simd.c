/* hardswish_backward - grad_output * (self / 3 + 1 / 2) between -3 and 3, 0
 * below, grad_output above
 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_KERNEL(in_float, float, b <= -3 ? 0 : b < 3 ? a * (b / 3 + 0.5f) : a)
OSW_KERNEL(in_double, double, b <= -3 ? 0 : b < 3 ? a * (b / 3 + 0.5) : a)

int hardswish_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
