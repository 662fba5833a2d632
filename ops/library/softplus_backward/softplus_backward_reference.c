/* softplus_backward - grad / (1 + exp(-beta * self)); grad above the
 * threshold */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

static double in_double(const double *x)
{
    return x[1] * x[2] > x[3] ? x[0] : x[0] / (1.0 + exp(-x[1] * x[2]));
}

int softplus_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int softplus_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
