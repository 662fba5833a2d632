/* hardsigmoid_backward - grad_output / 6 where self is between -3 and 3, else
 * 0, by a plain loop
 */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_PLAIN_FLOATS(floats, b > -3 && b < 3 ? a / 6 : 0)

int hardsigmoid_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
