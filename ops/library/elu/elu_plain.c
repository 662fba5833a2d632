/* elu - self * scale where it is above 0, else expm1(self * input_scale) *
 * alpha * scale, by a plain loop
 */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 1};

OSW_PLAIN_FLOATS(floats, a > 0 ? a * c : expm1(a * d) * b * c)

int elu_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}
