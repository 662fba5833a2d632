/* ne.Tensor - self != other, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

OSW_PLAIN_IF_FLOATS(floats, a != b)
OSW_PLAIN_IF_INTS(ints, a != b)

int ne__Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
