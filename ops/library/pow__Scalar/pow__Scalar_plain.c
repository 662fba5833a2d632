/* pow.Scalar - a number to the power of the exponent, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {1, 0}, .promote = 3};

OSW_PLAIN_FLOATS(floats, pow(b, a))
OSW_PLAIN_INTS(ints, osw_int_power(b, a))

int pow__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
