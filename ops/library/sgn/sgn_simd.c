/* sgn - -1, 0 or 1, as the sign; 0 for NaN */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_KERNEL(in_float, float, (float)(a > 0) - (float)(a < 0))
OSW_KERNEL(in_double, double, (double)(a > 0) - (double)(a < 0))
OSW_KERNEL(in_int, int64_t, (a > 0) - (a < 0))

int sgn_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
