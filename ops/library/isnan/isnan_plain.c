/* isnan - is it not a number?, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_BOOL};

OSW_PLAIN_IF_FLOATS(floats, a != a)
OSW_PLAIN_IF_INTS(ints, 0)

int isnan_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
