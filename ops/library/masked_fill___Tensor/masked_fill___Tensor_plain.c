/* masked_fill_.Tensor - value where the mask is true, else self, in place, by a
 * plain loop */
#define OSW_PLAIN_MASKED
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, m ? c : a)
OSW_PLAIN_INTS(ints, m ? c : a)

int masked_fill___Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run_masked(call, &rule, 1, &floats, &ints);
}
