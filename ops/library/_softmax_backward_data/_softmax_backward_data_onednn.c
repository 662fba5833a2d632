/* _softmax_backward_data - the gradient of softmax, by oneDNN */
#include "../shared/softmax_onednn.h"

int _softmax_backward_data_kernel_impl(const osw_call *call)
{
    return osw_onednn_softmax_backward(call, dnnl_softmax_accurate);
}
