/* hardtanh_backward - grad_output where self is between min_val and max_val,
 * else 0
 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

OSW_KERNEL(in_float, float, b <= c || b >= d ? 0 : a)
OSW_KERNEL(in_double, double, b <= c || b >= d ? 0 : a)

int hardtanh_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
