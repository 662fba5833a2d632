/* ops/library/avg_pool2d/avg_pool2d_reference.cu - the mean of each window, in
 * double
 */
#include "../shared/avg_pool.h"
#include "../shared/image_reference.cuh"

extern "C" int avg_pool2d_meta(const osw_call *call)
{
    struct osw_pool p = {};

    return osw_pool_open_avg(call, &p);
}

struct mean {
    static __device__ double at(const osw_pool &p, int64_t i, double *squares)
    {
        return osw_avg_pool_at(&p, i, squares);
    }
};

extern "C" int avg_pool2d_reference(const osw_call *call)
{
    struct osw_pool p = {};
    int rc = osw_pool_open_avg(call, &p);

    return rc ? rc
              : osw_image_reference<mean>(call, 0, osw_image_numel(&p.out), p);
}
