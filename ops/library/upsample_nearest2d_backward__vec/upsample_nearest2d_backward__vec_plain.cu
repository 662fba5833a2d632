/* upsample_nearest2d_backward.vec - a thread per element of the input, which
 * adds up its copies */
#include "../shared/nearest_plain.cuh"

extern "C" int
upsample_nearest2d_backward__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open_backward(call, &r);

    return osw_nearest_plain_back(call, r, rc);
}
