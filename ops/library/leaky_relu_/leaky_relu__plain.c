/* leaky_relu_ - self *= negative_slope where it is not above 0, by a plain
 * loop
 */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 1, .result = OSW_RULE_IN_PLACE};

OSW_PLAIN_FLOATS(floats, a > 0 ? a : a * b)

int leaky_relu__kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
