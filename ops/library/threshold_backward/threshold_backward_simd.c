/* threshold_backward - grad_output where self is above the threshold, else 0 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_KERNEL(in_float, float, b <= c ? 0 : a)
OSW_KERNEL(in_double, double, b <= c ? 0 : a)
OSW_KERNEL(in_int, int64_t, b <= c ? 0 : a)

int threshold_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
