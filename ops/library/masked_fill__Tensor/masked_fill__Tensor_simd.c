/* masked_fill.Tensor - value where the mask is true, else self */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

OSW_KERNEL(in_float, float, b != 0 ? c : a)
OSW_KERNEL(in_double, double, b != 0 ? c : a)
OSW_KERNEL(in_int, int64_t, b != 0 ? c : a)

int masked_fill__Tensor_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
