/* sigmoid_ - self = 1 / (1 + exp(-self)), by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, 1 / (1 + exp(-a)))

int sigmoid__kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
