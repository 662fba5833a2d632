/* elu - self * scale where it is above 0, else expm1(self * input_scale) *
 * alpha * scale
 */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 1};

static double in_double(const double *x)
{
    return x[0] > 0.0 ? x[0] * x[2] : expm1(x[0] * x[3]) * x[1] * x[2];
}

int elu_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int elu_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
