/* hardswish_backward - grad_output * (self / 3 + 1 / 2) between -3 and 3, 0
 * below, grad_output above
 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

static double in_double(const double *x)
{
    return x[1] <= -3.0 ? 0.0 : x[1] < 3.0 ? x[0] * (x[1] / 3.0 + 0.5) : x[0];
}

int hardswish_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int hardswish_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
