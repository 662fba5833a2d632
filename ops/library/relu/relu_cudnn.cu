/* relu - max(self, 0), NaN kept, by cuDNN */
#include "../shared/cudnn.cuh"

extern "C" int relu_prepare(const osw_call *call, void **state)
{
    return osw_cudnn_prepare_activation(call, CUDNN_ACTIVATION_RELU, state);
}

extern "C" void relu_finish(void *state)
{
    osw_cudnn_finish(state);
}

extern "C" int relu_kernel_impl(const osw_call *call)
{
    return osw_cudnn_activation(call);
}
