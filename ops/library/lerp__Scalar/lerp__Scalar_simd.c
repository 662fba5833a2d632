/* lerp.Scalar - self + weight * (end - self) */
#include "../shared/elementwise.h"
#include "../shared/lerp.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_KERNEL(in_float, float, OSW_LERP(a, b, c))
OSW_KERNEL(in_double, double, OSW_LERP(a, b, c))

int lerp__Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
