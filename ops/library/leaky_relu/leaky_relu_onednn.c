/* leaky_relu - self where it is above 0, else self * negative_slope, by oneDNN
 */
#include "../shared/elementwise_onednn.h"

int leaky_relu_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_relu,
                            (float)osw_arg_float(call, 1, 0.01));
}
