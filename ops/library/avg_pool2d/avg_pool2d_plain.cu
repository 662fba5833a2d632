/* ops/library/avg_pool2d/avg_pool2d_plain.cu - a thread per window */
#include "../shared/image_plain.cuh"
#include "../shared/pool.h"

struct mean {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_pool &p,
                                                          osw_spot s)
    {
        struct osw_window wy = osw_pool_window(&p, 0, s.y);
        struct osw_window wx = osw_pool_window(&p, 1, s.x);
        typename osw_plain_math<E>::type sum = 0;

        for (int64_t y = wy.from; y < wy.to; y++)
            for (int64_t x = wx.from; x < wx.to; x++)
                sum += osw_plain_pixel<E>(p.in, s.n, s.c, y, x);
        if (wy.from >= wy.to || wx.from >= wx.to)
            return 0;
        return sum / (decltype(sum))osw_pool_divisor(&p, wy, wx);
    }
};

extern "C" int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {};
    int rc = osw_pool_open_avg(call, &p);

    return rc ? rc : osw_plain_image<mean>(call, p, p.out, p.in.dtype);
}
