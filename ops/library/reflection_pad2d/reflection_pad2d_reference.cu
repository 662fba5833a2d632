/* reflection_pad2d - padded by what lies on the other side of each edge, in
 * double
 */
#include "../shared/image_reference.cuh"
#include "../shared/mirror.h"

extern "C" int reflection_pad2d_meta(const osw_call *call)
{
    struct osw_separable s = {};

    return osw_mirror_open(call, &s);
}

struct sum {
    static __device__ double at(const osw_separable &s, int64_t i,
                                double *squares)
    {
        return osw_separable_at(&s, i, squares);
    }
};

extern "C" int reflection_pad2d_reference(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_mirror_open(call, &s);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&s.out), s);
}
