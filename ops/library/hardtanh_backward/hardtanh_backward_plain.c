/* hardtanh_backward - grad_output where self is between min_val and max_val,
 * else 0, by a plain loop
 */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

OSW_PLAIN_FLOATS(floats, b <= c || b >= d ? 0 : a)

int hardtanh_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
