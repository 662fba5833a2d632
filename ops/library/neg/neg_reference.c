/* neg - -self */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .no_bool = 1};

static double in_double(const double *x)
{
    return -x[0];
}

static int64_t in_int(const int64_t *x)
{
    return (int64_t)(0 - (uint64_t)x[0]);
}

int neg_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int neg_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
