/* elu - self * scale where it is above 0, else expm1(self * input_scale) *
 * alpha * scale
 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 1};

#include "../shared/vecmath.h"

OSW_KERNEL(in_float, float, a > 0 ? a * c : osw_vecmath_expm1(a * d) * b * c)
OSW_KERNEL(in_double, double, a > 0 ? a * c : expm1(a * d) * b * c)

int elu_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}
