/* _adaptive_avg_pool2d_backward - the gradient of averages of windows, in
 * double
 */
#include "../shared/adaptive.h"
#include "../shared/image_reference.cuh"

extern "C" int _adaptive_avg_pool2d_backward_meta(const osw_call *call)
{
    struct osw_separable s = {};

    return osw_adaptive_open_backward(call, &s);
}

struct sum {
    static __device__ double at(const osw_separable &s, int64_t i,
                                double *squares)
    {
        return osw_separable_back_at(&s, i, squares);
    }
};

extern "C" int _adaptive_avg_pool2d_backward_reference(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_adaptive_open_backward(call, &s);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&s.in), s);
}
