/* softplus - log(1 + exp(beta * self)) / beta; self above the threshold, by
 * a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

OSW_PLAIN_FLOATS(floats, c < a * b ? a : log1p(exp(a * b)) / b)

int softplus_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
