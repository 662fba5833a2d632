/* upsample_nearest2d_backward - the sum over the copies of each element, in
 * double */
#include "../shared/image_reference.cuh"
#include "../shared/nearest.h"

extern "C" int upsample_nearest2d_backward_meta(const osw_call *call)
{
    struct osw_nearest r = {};

    return osw_nearest_open_backward_sized(call, &r);
}

struct sum {
    static __device__ double at(const osw_nearest &r, int64_t i,
                                double *squares)
    {
        return osw_nearest_backward_at(&r, i, squares);
    }
};

extern "C" int upsample_nearest2d_backward_reference(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open_backward_sized(call, &r);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&r.in), r);
}
