/* hardtanh_ - self = min(max(self, min_val), max_val), NaN kept, by a plain
 * loop
 */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .promote = 1,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, a<b ? b : a> c ? c : a)
OSW_PLAIN_INTS(ints, a<b ? b : a> c ? c : a)

int hardtanh__kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}
