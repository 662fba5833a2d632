/* logical_not - is it 0? */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_BOOL};

static double in_double(const double *x)
{
    return x[0] == 0.0;
}

static int64_t in_int(const int64_t *x)
{
    return x[0] == 0;
}

int logical_not_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int logical_not_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
