/* add.Scalar - self + alpha * other */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3};

OSW_KERNEL(in_float, float, a + c * b)
OSW_KERNEL(in_double, double, a + c * b)
OSW_KERNEL(in_int, int64_t, OSW_U(a) + OSW_U(c) * OSW_U(b))

int add__Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
