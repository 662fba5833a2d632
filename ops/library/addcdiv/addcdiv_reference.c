/* addcdiv - self + value * tensor1 / tensor2 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 7};

static double in_double(const double *x)
{
    return x[0] + x[3] * (x[1] / x[2]);
}

int addcdiv_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int addcdiv_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
