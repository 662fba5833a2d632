/* hardtanh - min(max(self, min_val), max_val), NaN kept */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 1, .no_bool = 1};

static double in_double(const double *x)
{
    return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
}

static int64_t in_int(const int64_t *x)
{
    return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
}

int hardtanh_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int hardtanh_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
