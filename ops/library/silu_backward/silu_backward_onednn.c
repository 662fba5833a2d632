/* silu_backward - the derivative, by oneDNN */
#include "../shared/elementwise_onednn.h"

int silu_backward_kernel_impl(const osw_call *call)
{
    return osw_onednn_derivative(call, dnnl_eltwise_swish, 1.0f, DNNL_ARG_SRC);
}
