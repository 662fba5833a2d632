/* lerp.Scalar - self + weight * (end - self) */
#include "../shared/elementwise_reference.h"
#include "../shared/lerp.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

static double in_double(const double *x)
{
    return OSW_LERP(x[0], x[1], x[2]);
}

int lerp__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int lerp__Scalar_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
