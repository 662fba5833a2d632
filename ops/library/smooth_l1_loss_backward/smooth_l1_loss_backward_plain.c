/* smooth_l1_loss_backward - grad_output times the difference, cut off, by a
 * plain loop */
#define OSW_PLAIN_OPERANDS 3
#include "../shared/loss_scale.h"
#include "../shared/plain.h"

OSW_PLAIN_FLOATS(floats, a *d *(b - c <= -e  ? -1
                                : b - c >= e ? 1
                                             : (b - c) / e))

int smooth_l1_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_of_width(call);

    return osw_plain_run(call, &rule, &floats, NULL);
}
