/* upsample_bilinear2d - between 2 x 2 neighbours, plane by plane */
#include "../shared/bilinear.h"
#include "../shared/separable_plain.h"

int upsample_bilinear2d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_separable_plain(call, &s, osw_bilinear_open_sized(call, &s));
}
