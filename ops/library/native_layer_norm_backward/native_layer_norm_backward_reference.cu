/* native_layer_norm_backward_reference.cu - gradients of layer norm, in double
 */
#include "../shared/layer_norm_any.cuh"

extern "C" int native_layer_norm_backward_meta(const osw_call *call)
{
    struct osw_layer_norm l = {};

    return osw_layer_norm_open_backward(call, &l);
}

extern "C" int native_layer_norm_backward_reference(const osw_call *call)
{
    struct osw_layer_norm l = {};
    int rc = osw_layer_norm_open_backward(call, &l);

    return rc ? rc : osw_layer_norm_any_backward(call, &l, 1);
}
