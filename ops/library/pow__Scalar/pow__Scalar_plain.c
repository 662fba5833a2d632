/* pow.Scalar - a number to the power of the exponent, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {1, 0}, .promote = 3};

static int64_t int_power(int64_t base, int64_t exponent)
{
    uint64_t y = 1;
    int64_t i;

    if (exponent < 0) /* only 1 and -1 have a power */
        return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    for (i = 0; i < exponent; i++)
        y *= (uint64_t)base;
    return (int64_t)y;
}

OSW_PLAIN_FLOATS(floats, pow(b, a))
OSW_PLAIN_INTS(ints, int_power(b, a))

int pow__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
