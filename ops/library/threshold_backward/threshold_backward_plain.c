/* threshold_backward - grad_output where self is above the threshold, else 0,
 * by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_PLAIN_FLOATS(floats, b <= c ? 0 : a)
OSW_PLAIN_INTS(ints, b <= c ? 0 : a)

int threshold_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
