/* leaky_relu - self where it is above 0, else self * negative_slope */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 1};

static double in_double(const double *x)
{
    return x[0] > 0.0 ? x[0] : x[0] * x[1];
}

int leaky_relu_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int leaky_relu_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
