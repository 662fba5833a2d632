/* silu_backward - grad_output * s * (1 + self * (1 - s)), s = sigmoid(self) */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

static double in_double(const double *x)
{
    double s = 1.0 / (1.0 + exp(-x[1]));

    return x[0] * s * (1.0 + x[1] * (1.0 - s));
}

int silu_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int silu_backward_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, NULL);
}
