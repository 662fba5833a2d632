/* addcdiv_ - self += value * tensor1 / tensor2, by a plain loop */
#define OSW_PLAIN_OPERANDS 3
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 4,
                                     .arg = {0, 1, 2, 3},
                                     .promote = 7,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, a + d * (b / c))

int addcdiv__kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
