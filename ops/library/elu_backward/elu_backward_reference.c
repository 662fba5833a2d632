/* elu_backward - grad_output times the derivative of elu, from self or from the
 * result
 */
#include "../shared/elementwise_reference.h"
#include "elu.h"

static double of_self(const double *x)
{
    if (x[1] > 0.0)
        return x[0] * x[3];
    return x[0] * exp(x[1] * x[4]) * x[2] * x[3] * x[4];
}

static double of_result(const double *x)
{
    return x[1] > 0.0 ? x[0] * x[3] : x[0] * (x[1] + x[2] * x[3]) * x[4];
}

int elu_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &osw_elu_rule);
}

int elu_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &osw_elu_rule,
                             osw_elu_is_result(call) ? of_result : of_self,
                             NULL);
}
