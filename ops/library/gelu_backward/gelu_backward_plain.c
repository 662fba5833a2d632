/* gelu_backward - a = grad_output, b = self: a times the derivative of gelu at
 * b, by a plain loop
 */
#include "../shared/plain.h"

#define ROOT_2         1.41421356237309504880
#define ROOT_2_OVER_PI 0.79788456080286535588
#define ROOT_2_PI      2.50662827463100050242

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 2};

/* cdf + b * pdf of the normal distribution */
#define SLOPE_ERF(b)                                                           \
    ((1 + erf(b / OSW_PLAIN_AS(b, ROOT_2))) / 2 +                              \
     b * exp(-b * b / 2) / OSW_PLAIN_AS(b, ROOT_2_PI))

/* t = tanh(u): (1 + t) / 2 + b * (1 - t^2) / 2 * du */
#define U(b)                                                                   \
    (OSW_PLAIN_AS(b, ROOT_2_OVER_PI) *                                         \
     (b + OSW_PLAIN_AS(b, 0.044715) * b * b * b))
#define DU(b)                                                                  \
    (OSW_PLAIN_AS(b, ROOT_2_OVER_PI) *                                         \
     (1 + 3 * OSW_PLAIN_AS(b, 0.044715) * b * b))
#define SLOPE_TANH(b, t) ((1 + t) / 2 + b * (1 - t * t) / 2 * DU(b))

OSW_PLAIN_FLOATS(by_erf, a *SLOPE_ERF(b))
OSW_PLAIN_FLOATS(by_tanh, a *SLOPE_TANH(b, tanh(U(b))))

int gelu_backward_kernel_impl(const osw_call *call)
{
    const osw_arg *how = osw_arg_at(call, 2);
    int is_tanh = how->tag == OSW_ARG_STRING && !strcmp(how->u.s, "tanh");

    return osw_plain_run(call, &rule, is_tanh ? &by_tanh : &by_erf, NULL);
}
