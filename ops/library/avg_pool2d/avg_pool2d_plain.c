/* ops/library/avg_pool2d/avg_pool2d_plain.c - plane by plane, window by window
 */
#include "../shared/planes.h"
#include "../shared/pool.h"

#define PLANE(name, T)                                                         \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_pool *p = (const struct osw_pool *)job;               \
        const T *from = (const T *)in;                                         \
        T *to = (T *)out;                                                      \
                                                                               \
        (void)plane;                                                           \
        for (int64_t oy = 0; oy < p->out.y; oy++)                              \
            for (int64_t ox = 0; ox < p->out.x; ox++) {                        \
                struct osw_window wy = osw_pool_window(p, 0, oy);              \
                struct osw_window wx = osw_pool_window(p, 1, ox);              \
                T sum = 0;                                                     \
                                                                               \
                for (int64_t y = wy.from; y < wy.to; y++)                      \
                    for (int64_t x = wx.from; x < wx.to; x++)                  \
                        sum += from[y * p->in.x + x];                          \
                if (wy.from < wy.to && wx.from < wx.to)                        \
                    sum /= (T)osw_pool_divisor(p, wy, wx);                     \
                to[oy * p->out.x + ox] = sum;                                  \
            }                                                                  \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {0};
    int rc = osw_pool_open_avg(call, &p);

    if (rc)
        return rc;
    if (!osw_planes_know(p.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &p.in, &p.out,
                           p.in.dtype.bits == 64 ? plane_double : plane_float,
                           &p);
}
