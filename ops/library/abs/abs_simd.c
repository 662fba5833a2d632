/* abs - the absolute value */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_KERNEL(in_float, float, fabsf(a))
OSW_KERNEL(in_double, double, fabs(a))
OSW_KERNEL(in_int, int64_t, a < 0 ? 0 - OSW_U(a) : OSW_U(a))

int abs_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
