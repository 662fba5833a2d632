/* remainder.Scalar - what self / other, rounded down, leaves */
#include "../shared/elementwise_reference.h"
#include "../shared/quotient.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};

static double in_double(const double *x)
{
    return osw_quotient_rest(x[0], x[1]);
}

static int64_t in_int(const int64_t *x)
{
    return osw_quotient_rest_int(x[0], x[1]);
}

int remainder__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int remainder__Scalar_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
