/* expm1 - exp(self) - 1, of integers as f32, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

OSW_PLAIN_FLOATS(floats, expm1(a))

int expm1_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
