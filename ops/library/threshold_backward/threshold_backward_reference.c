/* threshold_backward - grad_output where self is above the threshold, else 0 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

static double in_double(const double *x)
{
    return x[1] <= x[2] ? 0.0 : x[0];
}

static int64_t in_int(const int64_t *x)
{
    return x[1] <= x[2] ? 0 : x[0];
}

int threshold_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int threshold_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}
