/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_fast.cu -
 * each row: grad - exp(output) * sum of grad; rows in registers or shared
 * memory
 */
#include "../shared/softmax_fast.cuh"

extern "C" int _log_softmax_backward_data_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc : osw_softmax_fast<osw_log_softmax_backward>(call, &s);
}
