/* upsample_nearest2d_backward - the sum over the copies of each element, in
 * double */
#include "../shared/image_reference.h"
#include "../shared/nearest.h"

int upsample_nearest2d_backward_meta(const osw_call *call)
{
    struct osw_nearest r = {0};

    return osw_nearest_open_backward_sized(call, &r);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_nearest_backward_at((const struct osw_nearest *)job, i, squares);
}

int upsample_nearest2d_backward_reference(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_backward_sized(call, &r);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&r.in), at, &r);
}
