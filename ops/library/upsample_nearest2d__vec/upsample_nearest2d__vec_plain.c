/* ops/library/upsample_nearest2d__vec/upsample_nearest2d__vec_plain.c - plane
 * by plane, element by element
 */
#include "../shared/nearest.h"
#include "../shared/planes.h"

#define PLANE(name, T)                                                         \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_nearest *r = (const struct osw_nearest *)job;         \
        T *to = (T *)out;                                                      \
                                                                               \
        (void)plane;                                                           \
        for (int64_t y = 0; y < r->out.y; y++) {                               \
            const T *row =                                                     \
                (const T *)in + osw_nearest_from(r, 0, y) * r->in.x;           \
                                                                               \
            for (int64_t x = 0; x < r->out.x; x++)                             \
                to[y * r->out.x + x] = row[osw_nearest_from(r, 1, x)];         \
        }                                                                      \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int upsample_nearest2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open(call, &r);

    if (rc)
        return rc;
    if (!osw_planes_know(r.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &r.in, &r.out,
                           r.in.dtype.bits == 64 ? plane_double : plane_float,
                           &r);
}
