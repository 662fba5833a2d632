/* bitwise_not - every bit turned over; of bool: not */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_KERNEL(bits, int64_t, ~a)
OSW_KERNEL(truth, int64_t, !a)

int bitwise_not_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise of_int = {NULL, NULL, bits};
    static const struct osw_elementwise of_bool = {NULL, NULL, truth};
    const osw_tensor *self = osw_arg_tensor(call, 0);

    return osw_elementwise_run(
        call, &rule, self && self->dtype.code == OSW_BOOL ? &of_bool : &of_int);
}
