/* _log_softmax_backward_data - the gradient of log_softmax, by oneDNN */
#include "../shared/softmax_onednn.h"

int _log_softmax_backward_data_kernel_impl(const osw_call *call)
{
    return osw_onednn_softmax_backward(call, dnnl_softmax_log);
}
