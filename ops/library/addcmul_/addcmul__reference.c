/* addcmul_ - self += value * tensor1 * tensor2 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 4,
                                     .arg = {0, 1, 2, 3},
                                     .promote = 7,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

static double in_double(const double *x)
{
    return x[0] + x[3] * x[1] * x[2];
}

static int64_t in_int(const int64_t *x)
{
    return (int64_t)((uint64_t)x[0] +
                     (uint64_t)x[3] * (uint64_t)x[1] * (uint64_t)x[2]);
}

int addcmul__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int addcmul__reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
