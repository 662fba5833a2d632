/* ops/library/_softmax/_softmax_fast.cu - each row: exp(x - max) / sum; rows
 * in registers or shared memory
 */
#include "../shared/softmax_fast.cuh"

extern "C" int _softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_softmax_fast<osw_softmax_forward>(call, &s);
}
