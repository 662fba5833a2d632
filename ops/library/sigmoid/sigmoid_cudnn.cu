/* sigmoid - 1 / (1 + exp(-self)), by cuDNN */
#include "../shared/cudnn.cuh"

extern "C" int sigmoid_prepare(const osw_call *call, void **state)
{
    return osw_cudnn_prepare_activation(call, CUDNN_ACTIVATION_SIGMOID, state);
}

extern "C" void sigmoid_finish(void *state)
{
    osw_cudnn_finish(state);
}

extern "C" int sigmoid_kernel_impl(const osw_call *call)
{
    return osw_cudnn_activation(call);
}
