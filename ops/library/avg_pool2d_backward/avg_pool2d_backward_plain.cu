/* ops/library/avg_pool2d_backward/avg_pool2d_backward_plain.cu - a thread per
 * element of the input, which adds what the windows around it give
 */
#include "../shared/image_plain.cuh"
#include "../shared/pool.h"

struct sum {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_pool &p,
                                                          osw_spot s)
    {
        struct osw_window oy = osw_pool_windows(&p, 0, s.y);
        struct osw_window ox = osw_pool_windows(&p, 1, s.x);
        typename osw_plain_math<E>::type sum = 0;

        for (int64_t y = oy.from; y < oy.to; y++)
            for (int64_t x = ox.from; x < ox.to; x++)
                sum += osw_plain_pixel<E>(p.out, s.n, s.c, y, x) /
                       (decltype(sum))osw_pool_divisor(
                           &p, osw_pool_window(&p, 0, y),
                           osw_pool_window(&p, 1, x));
        return sum;
    }
};

extern "C" int avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {};
    int rc = osw_pool_open_avg_backward(call, &p);

    return rc ? rc : osw_plain_image<sum>(call, p, p.in, p.out.dtype);
}
