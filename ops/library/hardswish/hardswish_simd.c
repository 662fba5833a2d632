/* hardswish - self * min(max(self + 3, 0), 6) / 6 */
#include "../shared/elementwise.h"
#include "../shared/hard.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_KERNEL(in_float, float, a *OSW_HARD_SIGMOID(a))
OSW_KERNEL(in_double, double, a *OSW_HARD_SIGMOID(a))

int hardswish_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
