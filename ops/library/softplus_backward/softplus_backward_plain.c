/* softplus_backward - grad / (1 + exp(-beta * self)); grad above the
 * threshold, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

OSW_PLAIN_FLOATS(floats, d < b * c ? a : a / (1 + exp(-b * c)))

int softplus_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
