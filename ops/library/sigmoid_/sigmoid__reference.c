/* sigmoid_ - self = 1 / (1 + exp(-self)) */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return 1.0 / (1.0 + exp(-x[0]));
}

int sigmoid__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int sigmoid__reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
