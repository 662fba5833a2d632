/* ops/library/native_layer_norm_backward/native_layer_norm_backward_fast.cu -
 * in float, rows in registers; the order of the sums over rows is fixed
 */
#include "../shared/layer_norm_backward_fast.cuh"

extern "C" int native_layer_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {};
    int rc = osw_layer_norm_open_backward(call, &l);

    return rc ? rc : osw_layer_norm_backward_fast(call, &l);
}
