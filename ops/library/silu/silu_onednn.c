/* silu - self * sigmoid(self), by oneDNN */
#include "../shared/elementwise_onednn.h"

int silu_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_swish, 1.0f);
}
