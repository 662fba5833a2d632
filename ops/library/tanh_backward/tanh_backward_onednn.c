/* tanh_backward - the derivative by tanh's output, by oneDNN */
#include "../shared/elementwise_onednn.h"

int tanh_backward_kernel_impl(const osw_call *call)
{
    return osw_onednn_derivative(call, dnnl_eltwise_tanh_use_dst_for_bwd, 0.0f,
                                 DNNL_ARG_DST);
}
