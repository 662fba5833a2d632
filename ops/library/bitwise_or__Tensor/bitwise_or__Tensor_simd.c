/* bitwise_or.Tensor - self | other, bit by bit */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_KERNEL(in_int, int64_t, a | b)

int bitwise_or__Tensor_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {NULL, NULL, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
