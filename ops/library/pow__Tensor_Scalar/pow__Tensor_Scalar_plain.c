/* pow.Tensor_Scalar - self to the power of a number, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

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

OSW_PLAIN_FLOATS(floats, pow(a, b))
OSW_PLAIN_INTS(ints, int_power(a, b))

int pow__Tensor_Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
