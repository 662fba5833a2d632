/* mse_loss_backward - grad_output times twice the difference, or its share of
 * the mean
 */
#include "../shared/elementwise.h"
#include "../shared/loss_scale.h"

OSW_KERNEL(in_float, float, (b - c) * d * a)
OSW_KERNEL(in_double, double, (b - c) * d * a)

int mse_loss_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};
    struct osw_rule rule = osw_loss_rule(call, 2.0);

    return osw_elementwise_run(call, &rule, &kernels);
}
