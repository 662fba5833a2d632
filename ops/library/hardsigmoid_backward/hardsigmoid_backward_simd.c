/* hardsigmoid_backward - grad_output / 6 where self is between -3 and 3, else
 * 0
 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_KERNEL(in_float, float, b > -3 && b < 3 ? a / 6 : 0)
OSW_KERNEL(in_double, double, b > -3 && b < 3 ? a / 6 : 0)

int hardsigmoid_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
