/* hardswish_backward - grad_output * (self / 3 + 1 / 2) between -3 and 3, 0
 * below, grad_output above, by a plain loop
 */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_PLAIN_FLOATS(floats, b <= -3 ? 0
                         : b < 3 ? a * (b / 3 + OSW_PLAIN_AS(b, 0.5))
                                 : a)

int hardswish_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
