/* hardswish_ - self *= min(max(self + 3, 0), 6) / 6 */
#include "../shared/elementwise_reference.h"
#include "../shared/hard.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return x[0] * OSW_HARD_SIGMOID(x[0]);
}

int hardswish__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int hardswish__reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
