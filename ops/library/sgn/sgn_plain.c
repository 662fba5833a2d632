/* sgn - -1, 0 or 1, as the sign; 0 for NaN, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_PLAIN_FLOATS(floats, (a > 0) - (a < 0))
OSW_PLAIN_INTS(ints, (a > 0) - (a < 0))

int sgn_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
