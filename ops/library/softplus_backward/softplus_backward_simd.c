/* softplus_backward - grad / (1 + exp(-beta * self)); grad above the
 * threshold */
#include "../shared/elementwise.h"
#include "../shared/vecmath.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

OSW_KERNEL(in_float, float,
           d < b * c ? a : a / (1.0f + osw_vecmath_exp(-b * c)))
OSW_KERNEL(in_double, double, d < b * c ? a : a / (1.0 + exp(-b * c)))

int softplus_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
