/* neg - -self */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .no_bool = 1};

OSW_KERNEL(in_float, float, -a)
OSW_KERNEL(in_double, double, -a)
OSW_KERNEL(in_int, int64_t, 0 - OSW_U(a))

int neg_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
