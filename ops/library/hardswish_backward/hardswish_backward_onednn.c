/* hardswish_backward - the derivative, by oneDNN */
#include "../shared/elementwise_onednn.h"

int hardswish_backward_kernel_impl(const osw_call *call)
{
    return osw_onednn_derivative(call, dnnl_eltwise_hardswish, 0.0f,
                                 DNNL_ARG_SRC);
}
