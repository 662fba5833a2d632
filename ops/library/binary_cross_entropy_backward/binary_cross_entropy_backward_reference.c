/* binary_cross_entropy_backward - grad_output times (self - target) / (self *
 * (1 - self)) */
#include "../shared/elementwise_reference.h"
#include "../shared/loss_scale.h"

static double in_double(const double *x)
{
    return x[0] * x[3] * (x[1] - x[2]) / fmax((1.0 - x[1]) * x[1], 1e-12);
}

int binary_cross_entropy_backward_meta(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_at(call, 1.0, 4);

    return osw_arg_tensor(call, 3) ? OSW_UNSUPPORTED
                                   : osw_rule_meta(call, &rule);
}

int binary_cross_entropy_backward_reference(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_at(call, 1.0, 4);

    if (osw_arg_tensor(call, 3)) /* a weight for each element */
        return OSW_UNSUPPORTED;
    return osw_reference_map(call, &rule, in_double, NULL);
}
