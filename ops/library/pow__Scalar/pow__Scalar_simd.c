/* pow.Scalar - a number to the power of the exponent */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

/* By squaring; wraps. */
static int64_t int_power(int64_t base, int64_t exponent)
{
    uint64_t y = 1, x = (uint64_t)base;

    if (exponent < 0) /* only 1 and -1 have a power */
        return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    for (; exponent; exponent >>= 1, x *= x)
        if (exponent & 1)
            y *= x;
    return (int64_t)y;
}

OSW_KERNEL(in_float, float, powf(a, b))
OSW_KERNEL(in_double, double, pow(a, b))
OSW_KERNEL(in_int, int64_t, int_power(a, b))

int pow__Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
