/* sigmoid_backward - grad_output * (1 - output) * output */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

OSW_KERNEL(in_float, float, a *(1 - b) * b)
OSW_KERNEL(in_double, double, a *(1 - b) * b)

int sigmoid_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
