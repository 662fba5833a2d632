/* sub_.Tensor - self -= alpha * other, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .none = {0, 0, 1},
                                     .promote = 3,
                                     .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, a - c * b)
OSW_PLAIN_INTS(ints, (uint64_t)a - (uint64_t)c * (uint64_t)b)

int sub___Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
