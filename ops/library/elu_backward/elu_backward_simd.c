/* elu_backward - grad_output times the derivative of elu, from self or from the
 * result
 */
#include "../shared/elementwise.h"
#include "../shared/vecmath.h"
#include "elu.h"

OSW_KERNEL(self_float, float,
           b > 0 ? a * d : a * osw_vecmath_exp(b * e) * c * d * e)
OSW_KERNEL(self_double, double, b > 0 ? a * d : a * exp(b * e) * c * d * e)
OSW_KERNEL(result_float, float, b > 0 ? a * d : a * (b + c * d) * e)
OSW_KERNEL(result_double, double, b > 0 ? a * d : a * (b + c * d) * e)

int elu_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise of_self = {self_float, self_double,
                                                   NULL};
    static const struct osw_elementwise of_result = {result_float,
                                                     result_double, NULL};

    return osw_elementwise_run(call, &osw_elu_rule,
                               osw_elu_is_result(call) ? &of_result : &of_self);
}
