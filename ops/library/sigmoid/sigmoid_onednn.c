/* sigmoid - 1 / (1 + exp(-self)), by oneDNN */
#include "../shared/elementwise_onednn.h"

int sigmoid_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_logistic, 0.0f);
}
