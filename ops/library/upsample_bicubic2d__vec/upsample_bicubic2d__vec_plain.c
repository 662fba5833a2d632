/* ops/library/upsample_bicubic2d__vec/upsample_bicubic2d__vec_plain.c - plane
 * by plane, element by element
 */
#include "../shared/bicubic.h"
#include "../shared/planes.h"

#define PLANE(name, T)                                                         \
    static T name##_row(const struct osw_bicubic *b, const T *row,             \
                        struct osw_bicubic_taps t)                             \
    {                                                                          \
        T sum = 0;                                                             \
                                                                               \
        for (int k = 0; k < OSW_BICUBIC_TAPS; k++)                             \
            sum +=                                                             \
                (T)t.weight[k] * row[osw_bicubic_clamp(t.first + k, b->in.x)]; \
        return sum;                                                            \
    }                                                                          \
                                                                               \
    static void name(const void *job, int64_t plane, const void *in,           \
                     void *out)                                                \
    {                                                                          \
        const struct osw_bicubic *b = (const struct osw_bicubic *)job;         \
        T *to = (T *)out;                                                      \
                                                                               \
        (void)plane;                                                           \
        for (int64_t y = 0; y < b->out.y; y++) {                               \
            struct osw_bicubic_taps t = osw_bicubic_taps_of(b, 0, y);          \
                                                                               \
            for (int64_t x = 0; x < b->out.x; x++) {                           \
                struct osw_bicubic_taps of_x = osw_bicubic_taps_of(b, 1, x);   \
                T sum = 0;                                                     \
                                                                               \
                for (int k = 0; k < OSW_BICUBIC_TAPS; k++) {                   \
                    int64_t at = osw_bicubic_clamp(t.first + k, b->in.y);      \
                                                                               \
                    sum += (T)t.weight[k] *                                    \
                           name##_row(b, (const T *)in + at * b->in.x, of_x);  \
                }                                                              \
                to[y * b->out.x + x] = sum;                                    \
            }                                                                  \
        }                                                                      \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int upsample_bicubic2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_bicubic b = {0};
    int rc = osw_bicubic_open(call, &b);

    if (rc)
        return rc;
    if (!osw_planes_know(b.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &b.in, &b.out,
                           b.in.dtype.bits == 64 ? plane_double : plane_float,
                           &b);
}
