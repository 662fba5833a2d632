/* round - rounded to the nearest integer, halves to the even one */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_KERNEL(in_float, float, rintf(a))
OSW_KERNEL(in_double, double, rint(a))
OSW_KERNEL(in_int, int64_t, a)

int round_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
