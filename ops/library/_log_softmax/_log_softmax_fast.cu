/* ops/library/_log_softmax/_log_softmax_fast.cu - each row: x - max - log(sum
 * of exp(x - max)); rows in registers or shared memory
 */
#include "../shared/softmax_fast.cuh"

extern "C" int _log_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_softmax_fast<osw_log_softmax_forward>(call, &s);
}
