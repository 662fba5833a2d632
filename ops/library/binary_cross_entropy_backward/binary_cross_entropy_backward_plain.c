/* binary_cross_entropy_backward - grad_output times (self - target) / (self *
 * (1 - self)), by a plain loop */
#define OSW_PLAIN_OPERANDS 3
#include "../shared/loss_scale.h"
#include "../shared/plain.h"

OSW_PLAIN_FLOATS(floats, a *d *(b - c) / fmax((1 - b) * b, 1e-12f))

int binary_cross_entropy_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_at(call, 1.0, 4);

    if (osw_arg_tensor(call, 3)) /* a weight for each element */
        return OSW_UNSUPPORTED;
    return osw_plain_run(call, &rule, &floats, NULL);
}
