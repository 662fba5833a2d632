/* floor_divide - the quotient, rounded down */
#include "../shared/elementwise_reference.h"
#include "../shared/quotient.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};

static double in_double(const double *x)
{
    return osw_quotient_floor(x[0], x[1]);
}

static int64_t in_int(const int64_t *x)
{
    return osw_quotient_floor_int(x[0], x[1]);
}

int floor_divide_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int floor_divide_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
