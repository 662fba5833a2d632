/* ops/library/native_layer_norm/native_layer_norm_reference.cu - in double */
#include "../shared/layer_norm_any.cuh"

extern "C" int native_layer_norm_meta(const osw_call *call)
{
    struct osw_layer_norm l = {};

    return osw_layer_norm_open(call, &l);
}

extern "C" int native_layer_norm_reference(const osw_call *call)
{
    struct osw_layer_norm l = {};
    int rc = osw_layer_norm_open(call, &l);

    return rc ? rc : osw_layer_norm_any_forward(call, &l, 1);
}
