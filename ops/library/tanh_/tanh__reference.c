/* tanh_ - self = its hyperbolic tangent */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return tanh(x[0]);
}

int tanh__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int tanh__reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
