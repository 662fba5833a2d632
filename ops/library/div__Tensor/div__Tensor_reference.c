/* div.Tensor - self / other, of integers as f32 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

static double in_double(const double *x)
{
    return x[0] / x[1];
}

int div__Tensor_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int div__Tensor_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
