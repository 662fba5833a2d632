/* softplus - log(1 + exp(beta * self)) / beta; self above the threshold */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

static double in_double(const double *x)
{
    return x[0] * x[1] > x[2] ? x[0] : log1p(exp(x[0] * x[1])) / x[1];
}

int softplus_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int softplus_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
