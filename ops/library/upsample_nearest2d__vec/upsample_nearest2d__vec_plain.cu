/* upsample_nearest2d.vec - a thread per element */
#include "../shared/nearest_plain.cuh"

extern "C" int upsample_nearest2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open(call, &r);

    return osw_nearest_plain(call, r, rc);
}
