/* ops/library/upsample_nearest2d_backward__vec/
 * upsample_nearest2d_backward__vec_plain.c - plane by plane, each gradient is
 * added to the element that it is of a copy of
 */
#include "../shared/nearest.h"
#include "../shared/planes.h"

#define PLANE(name, T)                                                         \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_nearest *r = (const struct osw_nearest *)job;         \
        const T *grad = (const T *)in;                                         \
                                                                               \
        (void)plane;                                                           \
        memset(out, 0, (size_t)(r->in.y * r->in.x) * sizeof(T));               \
        for (int64_t y = 0; y < r->out.y; y++) {                               \
            T *row = (T *)out + osw_nearest_from(r, 0, y) * r->in.x;           \
                                                                               \
            for (int64_t x = 0; x < r->out.x; x++)                             \
                row[osw_nearest_from(r, 1, x)] += grad[y * r->out.x + x];      \
        }                                                                      \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int upsample_nearest2d_backward__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_backward(call, &r);

    if (rc)
        return rc;
    if (!osw_planes_know(r.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &r.out, &r.in,
                           r.in.dtype.bits == 64 ? plane_double : plane_float,
                           &r);
}
