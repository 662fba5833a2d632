/* sqrt - the square root, by oneDNN */
#include "../shared/elementwise_onednn.h"

int sqrt_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_sqrt, 0.0f);
}
