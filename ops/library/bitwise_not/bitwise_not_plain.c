/* bitwise_not - every bit turned over; of bool: not, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_PLAIN_INTS(bits, ~a)
OSW_PLAIN_INTS(truth, !a)

int bitwise_not_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    return osw_plain_run(call, &rule, NULL,
                         self && self->dtype.code == OSW_BOOL ? &truth : &bits);
}
