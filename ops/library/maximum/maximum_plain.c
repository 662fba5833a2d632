/* maximum - the larger of both, NaN if either is, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_PLAIN_FLOATS(floats, a != a || a > b ? a : b)
OSW_PLAIN_INTS(ints, a > b ? a : b)

int maximum_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
