/* upsample_bilinear2d - between 2 x 2 neighbours, a thread per element */
#include "../shared/bilinear.h"
#include "../shared/separable_plain.cuh"

extern "C" int upsample_bilinear2d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_bilinear_open_sized(call, &s);

    return osw_separable_plain(call, s, rc);
}
