/* softplus - log(1 + exp(beta * self)) / beta; self above the threshold */
#include "../shared/elementwise.h"
#include "../shared/vecmath.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

OSW_KERNEL(in_float, float, c < a * b ? a : log1pf(osw_vecmath_exp(a * b)) / b)
OSW_KERNEL(in_double, double, c < a * b ? a : log1p(exp(a * b)) / b)

int softplus_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
