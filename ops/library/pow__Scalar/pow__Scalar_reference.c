/* pow.Scalar - a number to the power of the exponent */
#include "../shared/elementwise_reference.h"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

static double in_double(const double *x)
{
    return pow(x[0], x[1]);
}

static int64_t in_int(const int64_t *x)
{
    return osw_int_power(x[0], x[1]);
}

int pow__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int pow__Scalar_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
