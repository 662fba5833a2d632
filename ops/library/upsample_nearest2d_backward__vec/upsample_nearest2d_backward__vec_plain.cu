/* ops/library/upsample_nearest2d_backward__vec/
 * upsample_nearest2d_backward__vec_plain.cu - a thread per element of the
 * input, which adds up its copies
 */
#include "../shared/image_plain.cuh"
#include "../shared/nearest.h"

struct sum {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_nearest &r,
                                                          osw_spot s)
    {
        int64_t y1 = osw_nearest_first(&r, 0, s.y + 1);
        int64_t x0 = osw_nearest_first(&r, 1, s.x);
        int64_t x1 = osw_nearest_first(&r, 1, s.x + 1);
        typename osw_plain_math<E>::type sum = 0;

        for (int64_t y = osw_nearest_first(&r, 0, s.y); y < y1; y++)
            for (int64_t x = x0; x < x1; x++)
                sum += osw_plain_pixel<E>(r.out, s.n, s.c, y, x);
        return sum;
    }
};

extern "C" int
upsample_nearest2d_backward__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {};
    int rc = osw_nearest_open_backward(call, &r);

    return rc ? rc : osw_plain_image<sum>(call, r, r.in, r.out.dtype);
}
