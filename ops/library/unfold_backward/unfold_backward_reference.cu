/* unfold_backward - the sum over the windows that an element is in, in double
 */
#include "../shared/image_reference.cuh"
#include "unfold_backward.h"

extern "C" int unfold_backward_meta(const osw_call *call)
{
    struct unfold u = {};

    return unfold_open(call, &u);
}

struct sum {
    static __device__ double at(const unfold &u, int64_t i, double *squares)
    {
        return unfold_at(&u, i, squares);
    }
};

extern "C" int unfold_backward_reference(const osw_call *call)
{
    struct unfold u = {};
    int rc = unfold_open(call, &u);

    return rc ? rc : osw_image_reference<sum>(call, 0, u.numel, u);
}
