/* tanh - tanh(self), by oneDNN */
#include "../shared/elementwise_onednn.h"

int tanh_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_tanh, 0.0f);
}
