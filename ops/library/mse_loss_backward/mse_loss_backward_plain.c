/* mse_loss_backward - grad_output times twice the difference, or its share of
 * the mean, by a plain loop
 */
#define OSW_PLAIN_OPERANDS 3
#include "../shared/loss_scale.h"
#include "../shared/plain.h"

OSW_PLAIN_FLOATS(floats, (b - c) * d * a)

int mse_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule(call, 2.0);

    return osw_plain_run(call, &rule, &floats, NULL);
}
