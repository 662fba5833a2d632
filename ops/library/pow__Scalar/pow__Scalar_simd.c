/* pow.Scalar - a number to the power of the exponent */
#include "../shared/elementwise.h"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_KERNEL(in_float, float, powf(a, b))
OSW_KERNEL(in_double, double, pow(a, b))
OSW_KERNEL(in_int, int64_t, osw_int_power(a, b))

int pow__Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
