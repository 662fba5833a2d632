/* log1p - the logarithm of 1 + self, of integers as f32 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

static double in_double(const double *x)
{
    return log1p(x[0]);
}

int log1p_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int log1p_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
