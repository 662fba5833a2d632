/* logical_not - is it 0?, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_BOOL};

OSW_PLAIN_IF_FLOATS(floats, a == 0)
OSW_PLAIN_IF_INTS(ints, a == 0)

int logical_not_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
