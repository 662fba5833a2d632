/* upsample_bilinear2d - between 2 x 2 neighbours, in double */
#include "../shared/bilinear.h"
#include "../shared/image_reference.cuh"

extern "C" int upsample_bilinear2d_meta(const osw_call *call)
{
    struct osw_separable s = {};

    return osw_bilinear_open_sized(call, &s);
}

struct sum {
    static __device__ double at(const osw_separable &s, int64_t i,
                                double *squares)
    {
        return osw_separable_at(&s, i, squares);
    }
};

extern "C" int upsample_bilinear2d_reference(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_bilinear_open_sized(call, &s);

    return rc ? rc : osw_image_exact<sum>(call, 0, osw_image_numel(&s.out), s);
}
