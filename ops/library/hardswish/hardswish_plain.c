/* hardswish - self * min(max(self + 3, 0), 6) / 6, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/hard.h"
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_PLAIN_FLOATS(floats, a *OSW_HARD_SIGMOID(a))

int hardswish_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
