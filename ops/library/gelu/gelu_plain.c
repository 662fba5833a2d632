/* gelu - x * (1 + erf(x / sqrt(2))) / 2, or its approximation by tanh, by a
 * plain loop
 */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

#define ROOT_2         1.41421356237309504880
#define ROOT_2_OVER_PI 0.79788456080286535588

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

OSW_PLAIN_FLOATS(by_erf, a *(1 + erf(a / OSW_PLAIN_AS(a, ROOT_2))) / 2)
OSW_PLAIN_FLOATS(by_tanh,
                 a *(1 + tanh(OSW_PLAIN_AS(a, ROOT_2_OVER_PI) *
                              (a + OSW_PLAIN_AS(a, 0.044715) * a * a * a))) /
                     2)

int gelu_kernel_impl(const osw_call *call)
{
    const osw_arg *how = osw_arg_at(call, 1);
    int is_tanh = how->tag == OSW_ARG_STRING && !strcmp(how->u.s, "tanh");

    return osw_plain_run(call, &rule, is_tanh ? &by_tanh : &by_erf, NULL);
}
