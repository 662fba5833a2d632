/* expm1 - exp(self) - 1, of integers as f32 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

static double in_double(const double *x)
{
    return expm1(x[0]);
}

int expm1_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int expm1_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
