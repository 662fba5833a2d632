/* elu_backward - grad_output times the derivative of elu, from self or from the
 * result, by a plain loop
 */
#include "../shared/plain.h"
#include "elu.h"

OSW_PLAIN_FLOATS(of_self, b > 0 ? a * d : a * exp(b * e) * c * d * e)
OSW_PLAIN_FLOATS(of_result, b > 0 ? a * d : a * (b + c * d) * e)

int elu_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &osw_elu_rule,
                         osw_elu_is_result(call) ? &of_result : &of_self, NULL);
}
