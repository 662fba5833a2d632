/* upsample_nearest2d_backward - plane by plane, each gradient is added to the
 * element that it is of a copy of */
#include "../shared/nearest_plain.h"

int upsample_nearest2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_backward_sized(call, &r);

    return osw_nearest_plain_back(call, &r, rc);
}
