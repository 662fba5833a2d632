/* ops/library/upsample_nearest2d__vec/upsample_nearest2d__vec_plain.cu - a
 * thread per element
 */
#include "../shared/image_plain.cuh"
#include "../shared/nearest.h"

struct nearest {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_nearest &r,
                                                          osw_spot s)
    {
        return osw_plain_pixel<E>(r.in, s.n, s.c, osw_nearest_from(&r, 0, s.y),
                                  osw_nearest_from(&r, 1, s.x));
    }
};

extern "C" int upsample_nearest2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open(call, &r);

    return rc ? rc : osw_plain_image<nearest>(call, r, r.out, r.in.dtype);
}
