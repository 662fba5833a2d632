/* where.self - self where the condition is true, else other */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 6};

static double in_double(const double *x)
{
    return x[0] != 0.0 ? x[1] : x[2];
}

static int64_t in_int(const int64_t *x)
{
    return x[0] != 0 ? x[1] : x[2];
}

int where__self_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int where__self_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
