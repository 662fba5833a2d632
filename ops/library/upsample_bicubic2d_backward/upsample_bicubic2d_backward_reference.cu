/* ops/library/upsample_bicubic2d_backward/
 * upsample_bicubic2d_backward_reference.cu - the sum over what takes each
 * element, in double
 */
#include "../shared/bicubic.h"
#include "../shared/image_reference.cuh"

extern "C" int upsample_bicubic2d_backward_meta(const osw_call *call)
{
    struct osw_bicubic b = {};

    return osw_bicubic_open_backward(call, &b);
}

struct sum {
    static __device__ double at(const osw_bicubic &b, int64_t i, double *)
    {
        return osw_bicubic_backward_at(&b, i);
    }
};

extern "C" int upsample_bicubic2d_backward_reference(const osw_call *call)
{
    struct osw_bicubic b = {};
    int rc = osw_bicubic_open_backward(call, &b);

    return rc ? rc : osw_image_exact<sum>(call, 0, osw_image_numel(&b.in), b);
}
