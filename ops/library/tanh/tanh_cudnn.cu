/* tanh - hyperbolic tangent, by cuDNN */
#include "../shared/cudnn.cuh"

extern "C" int tanh_prepare(const osw_call *call, void **state)
{
    return osw_cudnn_prepare_activation(call, CUDNN_ACTIVATION_TANH, state);
}

extern "C" void tanh_finish(void *state)
{
    osw_cudnn_finish(state);
}

extern "C" int tanh_kernel_impl(const osw_call *call)
{
    return osw_cudnn_activation(call);
}
