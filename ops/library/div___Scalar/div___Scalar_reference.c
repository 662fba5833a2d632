/* div_.Scalar - self /= other */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 2,
                                     .arg = {0, 1},
                                     .promote = 3,
                                     .floating = 1,
                                     .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return x[0] / x[1];
}

int div___Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int div___Scalar_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
