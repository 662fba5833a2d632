/* silu_backward - grad_output * s * (1 + self * (1 - s)), s = sigmoid(self), by
 * a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

#define SIGMOID(v) (1 / (1 + exp(-(v))))

OSW_PLAIN_FLOATS(floats, a *SIGMOID(b) * (1 + b * (1 - SIGMOID(b))))

int silu_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
