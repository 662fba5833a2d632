/* hardsigmoid - min(max(self + 3, 0), 6) / 6 */
#include "../shared/elementwise_reference.h"
#include "../shared/hard.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

static double in_double(const double *x)
{
    return OSW_HARD_SIGMOID(x[0]);
}

int hardsigmoid_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int hardsigmoid_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
