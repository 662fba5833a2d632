/* upsample_nearest2d - plane by plane, element by element */
#include "../shared/nearest_plain.h"

int upsample_nearest2d_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_sized(call, &r);

    return osw_nearest_plain(call, &r, rc);
}
