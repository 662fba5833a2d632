/* add.Scalar - self + alpha * other */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3};

static double in_double(const double *x)
{
    return x[0] + x[2] * x[1];
}

static int64_t in_int(const int64_t *x)
{
    return (int64_t)((uint64_t)x[0] + (uint64_t)x[2] * (uint64_t)x[1]);
}

int add__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int add__Scalar_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
