/* reflection_pad2d_backward - the gradient of padding by what lies on the
 * other side of each edge, in double
 */
#include "../shared/image_reference.cuh"
#include "../shared/mirror.h"

extern "C" int reflection_pad2d_backward_meta(const osw_call *call)
{
    struct osw_separable s = {};

    return osw_mirror_open_backward(call, &s);
}

struct sum {
    static __device__ double at(const osw_separable &s, int64_t i,
                                double *squares)
    {
        return osw_separable_back_at(&s, i, squares);
    }
};

extern "C" int reflection_pad2d_backward_reference(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_mirror_open_backward(call, &s);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&s.in), s);
}
