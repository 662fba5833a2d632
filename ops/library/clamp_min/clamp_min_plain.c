/* clamp_min - max(self, min), NaN if either is, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

OSW_PLAIN_FLOATS(floats, a != a || a > b ? a : b)
OSW_PLAIN_INTS(ints, a > b ? a : b)

int clamp_min_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
