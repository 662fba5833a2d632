/* div_.Scalar - self /= other, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 2,
                                     .arg = {0, 1},
                                     .promote = 3,
                                     .floating = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, a / b)

int div___Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
