/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope
 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

static double in_double(const double *x)
{
    return x[1] > 0.0 ? x[0] : x[0] * x[2];
}

int leaky_relu_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int leaky_relu_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
