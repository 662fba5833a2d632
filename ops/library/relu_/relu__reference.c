/* relu_ - self = max(self, 0), NaN kept */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 1,
                                     .arg = {0},
                                     .promote = 1,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return x[0] != x[0] || x[0] > 0.0 ? x[0] : 0.0;
}

static int64_t in_int(const int64_t *x)
{
    return x[0] > 0 ? x[0] : 0;
}

int relu__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int relu__reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
