/* rsub.Scalar - other - alpha * self */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3, .no_bool = 1};

OSW_KERNEL(in_float, float, b - c * a)
OSW_KERNEL(in_double, double, b - c * a)
OSW_KERNEL(in_int, int64_t, OSW_U(b) - OSW_U(c) * OSW_U(a))

int rsub__Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
