/* neg - -self, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .no_bool = 1};

OSW_PLAIN_FLOATS(floats, -a)
OSW_PLAIN_INTS(ints, 0 - (uint64_t)a)

int neg_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
