/* _softmax_backward_data - output * (grad - sum of grad * output), by cuDNN */
#include "../shared/cudnn.cuh"

extern "C" int _softmax_backward_data_prepare(const osw_call *call,
                                              void **state)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc : osw_cudnn_prepare_softmax(call, &s, state);
}

extern "C" void _softmax_backward_data_finish(void *state)
{
    osw_cudnn_finish(state);
}

extern "C" int _softmax_backward_data_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc
              : osw_cudnn_softmax_backward(call, &s, CUDNN_SOFTMAX_ACCURATE);
}
