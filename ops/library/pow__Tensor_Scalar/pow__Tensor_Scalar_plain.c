/* pow.Tensor_Scalar - self to the power of a number, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_PLAIN_FLOATS(floats, pow(a, b))
OSW_PLAIN_INTS(ints, osw_int_power(a, b))

int pow__Tensor_Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
