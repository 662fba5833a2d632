/* huber_loss_backward - grad_output times the difference, cut off */
#include "../shared/elementwise_reference.h"
#include "../shared/loss_scale.h"

static double in_double(const double *x)
{
    double v = x[1] - x[2];

    v = v <= -x[4] ? -x[4] : v >= x[4] ? x[4] : v;
    return x[0] * x[3] * v;
}

int huber_loss_backward_meta(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_of_width(call);

    return osw_rule_meta(call, &rule);
}

int huber_loss_backward_reference(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_of_width(call);

    return osw_reference_map(call, &rule, in_double, NULL);
}
