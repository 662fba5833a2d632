/* abs - the absolute value, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_PLAIN_FLOATS(floats, fabs(a))
OSW_PLAIN_INTS(ints, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)

int abs_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
