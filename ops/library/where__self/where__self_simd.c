/* where.self - self where the condition is true, else other */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 6};

OSW_KERNEL(in_float, float, a != 0 ? b : c)
OSW_KERNEL(in_double, double, a != 0 ? b : c)
OSW_KERNEL(in_int, int64_t, a != 0 ? b : c)

int where__self_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
