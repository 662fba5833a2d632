/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope
 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_KERNEL(in_float, float, b > 0 ? a : a * c)
OSW_KERNEL(in_double, double, b > 0 ? a : a * c)

int leaky_relu_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
