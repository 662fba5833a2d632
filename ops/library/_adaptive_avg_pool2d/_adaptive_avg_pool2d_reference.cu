/* _adaptive_avg_pool2d - averages of windows that cover the input, in
 * double
 */
#include "../shared/adaptive.h"
#include "../shared/image_reference.cuh"

extern "C" int _adaptive_avg_pool2d_meta(const osw_call *call)
{
    struct osw_separable s = {};

    return osw_adaptive_open(call, &s);
}

struct sum {
    static __device__ double at(const osw_separable &s, int64_t i,
                                double *squares)
    {
        return osw_separable_at(&s, i, squares);
    }
};

extern "C" int _adaptive_avg_pool2d_reference(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_adaptive_open(call, &s);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&s.out), s);
}
