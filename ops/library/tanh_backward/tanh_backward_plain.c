/* tanh_backward - grad_output * (1 - output^2), by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

OSW_PLAIN_FLOATS(floats, a *(1 - b * b))

int tanh_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
