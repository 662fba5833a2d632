/* mse_loss_backward - grad_output times twice the difference, or its share of
 * the mean
 */
#include "../shared/elementwise_reference.h"
#include "../shared/loss_scale.h"

static double in_double(const double *x)
{
    return x[0] * x[3] * (x[1] - x[2]);
}

int mse_loss_backward_meta(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule(call, 2.0);

    return osw_rule_meta(call, &rule);
}

int mse_loss_backward_reference(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule(call, 2.0);

    return osw_reference_map(call, &rule, in_double, NULL);
}
