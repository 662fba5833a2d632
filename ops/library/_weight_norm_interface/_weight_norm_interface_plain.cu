/* _weight_norm_interface - a block or a thread to each slice */
#include "../shared/weight_norm_plain.cuh"

extern "C" int _weight_norm_interface_kernel_impl(const osw_call *call)
{
    struct osw_weight_norm n = {};
    int rc = osw_weight_norm_open(call, &n);

    return osw_weight_norm_plain(call, n, rc);
}
