/* ops/library/avg_pool2d_backward/avg_pool2d_backward_plain.c - plane by plane:
 * each window adds its part to all that it was the mean of
 */
#include "../shared/planes.h"
#include "../shared/pool.h"

#define PLANE(name, T)                                                         \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_pool *p = (const struct osw_pool *)job;               \
        const T *grad = (const T *)in;                                         \
        T *to = (T *)out;                                                      \
                                                                               \
        (void)plane;                                                           \
        memset(to, 0, (size_t)(p->in.y * p->in.x) * sizeof(T));                \
        for (int64_t oy = 0; oy < p->out.y; oy++)                              \
            for (int64_t ox = 0; ox < p->out.x; ox++) {                        \
                struct osw_window wy = osw_pool_window(p, 0, oy);              \
                struct osw_window wx = osw_pool_window(p, 1, ox);              \
                T part =                                                       \
                    grad[oy * p->out.x + ox] / (T)osw_pool_divisor(p, wy, wx); \
                                                                               \
                for (int64_t y = wy.from; y < wy.to; y++)                      \
                    for (int64_t x = wx.from; x < wx.to; x++)                  \
                        to[y * p->in.x + x] += part;                           \
            }                                                                  \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {0};
    int rc = osw_pool_open_avg_backward(call, &p);

    if (rc)
        return rc;
    if (!osw_planes_know(p.in.dtype) ||
        !osw_convert_same(p.in.dtype, p.out.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &p.out, &p.in,
                           p.in.dtype.bits == 64 ? plane_double : plane_float,
                           &p);
}
