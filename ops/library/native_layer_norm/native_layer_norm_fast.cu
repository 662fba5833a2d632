/* ops/library/native_layer_norm/native_layer_norm_fast.cu - rows in registers,
 * in float
 */
#include "../shared/layer_norm_fast.cuh"

extern "C" int native_layer_norm_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {};
    int rc = osw_layer_norm_open(call, &l);

    return rc ? rc : osw_layer_norm_fast(call, &l);
}
