/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope, by a plain loop
 */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_PLAIN_FLOATS(floats, b > 0 ? a : a * c)

int leaky_relu_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
