/* ops/library/upsample_bicubic2d_backward/upsample_bicubic2d_backward_plain.c -
 * plane by plane, each gradient is added to the elements that it is made of
 */
#include "../shared/bicubic.h"
#include "../shared/planes.h"

#define PLANE(name, T)                                                         \
    static void name##_row(const struct osw_bicubic *b, T gradient,            \
                           struct osw_bicubic_taps t, T *row)                  \
    {                                                                          \
        for (int k = 0; k < OSW_BICUBIC_TAPS; k++)                             \
            row[osw_bicubic_clamp(t.first + k, b->in.x)] +=                    \
                gradient * (T)t.weight[k];                                     \
    }                                                                          \
                                                                               \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_bicubic *b = (const struct osw_bicubic *)job;         \
        const T *grad = (const T *)in;                                         \
                                                                               \
        (void)plane;                                                           \
        memset(out, 0, (size_t)(b->in.y * b->in.x) * sizeof(T));               \
        for (int64_t y = 0; y < b->out.y; y++) {                               \
            struct osw_bicubic_taps t = osw_bicubic_taps_of(b, 0, y);          \
                                                                               \
            for (int64_t x = 0; x < b->out.x; x++)                             \
                for (int k = 0; k < OSW_BICUBIC_TAPS; k++)                     \
                    name##_row(b, grad[y * b->out.x + x] * (T)t.weight[k],     \
                               osw_bicubic_taps_of(b, 1, x),                   \
                               (T *)out +                                      \
                                   osw_bicubic_clamp(t.first + k, b->in.y) *   \
                                       b->in.x);                               \
        }                                                                      \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int upsample_bicubic2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_bicubic b = {0};
    int rc = osw_bicubic_open_backward(call, &b);

    if (rc)
        return rc;
    if (!osw_planes_know(b.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &b.out, &b.in,
                           b.in.dtype.bits == 64 ? plane_double : plane_float,
                           &b);
}
