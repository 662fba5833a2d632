/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_reference.cu -
 * the maximum of each window and its index within the plane
 */
#include "../shared/image_reference.cuh"
#include "../shared/max_pool.h"

extern "C" int max_pool2d_with_indices_meta(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_image indices;

    return osw_pool_open_max(call, &p, &indices);
}

struct job {
    osw_pool p;
    int64_t *indices;
};

/* Element i, whose index is stored on the way. */
struct maximum {
    static __device__ double at(const job &j, int64_t i, double *)
    {
        struct osw_spot s = osw_image_spot(&j.p.out, i);
        int64_t index = osw_max_pool_index(&j.p, s);

        j.indices[i] = index;
        return osw_image_get(&j.p.in, s.n, s.c, index / j.p.in.x,
                             index % j.p.in.x);
    }
};

extern "C" int max_pool2d_with_indices_reference(const osw_call *call)
{
    job j = {};
    struct osw_image indices;
    int rc = osw_pool_open_max(call, &j.p, &indices);

    if (rc)
        return rc;
    j.indices = (int64_t *)indices.data;
    return osw_image_reference<maximum>(call, 0, osw_image_numel(&j.p.out), j);
}
