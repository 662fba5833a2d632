/* upsample_nearest2d - each element is a copy, in double */
#include "../shared/image_reference.cuh"
#include "../shared/nearest.h"

extern "C" int upsample_nearest2d_meta(const osw_call *call)
{
    struct osw_nearest r = {};

    return osw_nearest_open_sized(call, &r);
}

struct nearest {
    static __device__ double at(const osw_nearest &r, int64_t i, double *)
    {
        struct osw_spot s = osw_image_spot(&r.out, i);

        return osw_image_get(&r.in, s.n, s.c, osw_nearest_from(&r, 0, s.y),
                             osw_nearest_from(&r, 1, s.x));
    }
};

extern "C" int upsample_nearest2d_reference(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open_sized(call, &r);

    return rc ? rc
              : osw_image_reference<nearest>(call, 0, osw_image_numel(&r.out),
                                             r);
}
