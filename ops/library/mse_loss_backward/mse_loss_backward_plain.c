/* mse_loss_backward - grad_output times twice the difference, or its share of
 * the mean, by a plain loop
 */
#define OSW_PLAIN_OPERANDS 3
#include "../shared/plain.h"
#include "scale.h"

OSW_PLAIN_FLOATS(floats, (b - c) * d * a)

int mse_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_mse_rule(call);

    return osw_plain_run(call, &rule, &floats, NULL);
}
