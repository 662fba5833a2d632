/* bitwise_and.Tensor - self & other, bit by bit, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_PLAIN_INTS(ints, a &b)

int bitwise_and__Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, NULL, &ints);
}
