/* ops/library/avg_pool2d_backward/avg_pool2d_backward_reference.cu - the sum of
 * what each window gives, in double
 */
#include "../shared/avg_pool.h"
#include "../shared/image_reference.cuh"

extern "C" int avg_pool2d_backward_meta(const osw_call *call)
{
    struct osw_pool p = {};

    return osw_pool_open_avg_backward(call, &p);
}

struct sum {
    static __device__ double at(const osw_pool &p, int64_t i, double *squares)
    {
        return osw_avg_pool_backward_at(&p, i, squares);
    }
};

extern "C" int avg_pool2d_backward_reference(const osw_call *call)
{
    struct osw_pool p = {};
    int rc = osw_pool_open_avg_backward(call, &p);

    return rc ? rc
              : osw_image_reference<sum>(call, 0, osw_image_numel(&p.in), p);
}
