/* _log_softmax - x - max - log(sum), by cuDNN */
#include "../shared/cudnn.cuh"

extern "C" int _log_softmax_prepare(const osw_call *call, void **state)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_cudnn_prepare_softmax(call, &s, state);
}

extern "C" void _log_softmax_finish(void *state)
{
    osw_cudnn_finish(state);
}

extern "C" int _log_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_cudnn_softmax(call, &s, CUDNN_SOFTMAX_LOG);
}
