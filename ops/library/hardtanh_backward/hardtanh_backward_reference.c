/* hardtanh_backward - grad_output where self is between min_val and max_val,
 * else 0
 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

static double in_double(const double *x)
{
    return x[1] <= x[2] || x[1] >= x[3] ? 0.0 : x[0];
}

int hardtanh_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int hardtanh_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
