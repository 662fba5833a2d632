/* shared/separable_plain.h - separable.h plane by plane, element by element */
#ifndef OSW_LIBRARY_SEPARABLE_PLAIN_H
#define OSW_LIBRARY_SEPARABLE_PLAIN_H

#include "planes.h"
#include "separable.h"

#define OSW_SEPARABLE_PLANE(T)                                                 \
    static inline T osw_separable_sum_##T(                                     \
        const struct osw_separable *s, const T *in,                            \
        struct osw_separable_taps ty, struct osw_separable_taps tx)            \
    {                                                                          \
        T sum = 0;                                                             \
                                                                               \
        for (int64_t y = 0; y < ty.n; y++) {                                   \
            const T *row = in + (ty.first + y) * s->in.x + tx.first;           \
            T of_row = 0;                                                      \
                                                                               \
            for (int64_t x = 0; x < tx.n; x++)                                 \
                of_row += (T)tx.weight[x > 0] * row[x];                        \
            sum += (T)ty.weight[y > 0] * of_row;                               \
        }                                                                      \
        return sum;                                                            \
    }                                                                          \
                                                                               \
    static void osw_separable_plane_##T(const void *job, int64_t plane,        \
                                        const void *in, void *out)             \
    {                                                                          \
        const struct osw_separable *s = (const struct osw_separable *)job;     \
        T *to = (T *)out;                                                      \
                                                                               \
        (void)plane;                                                           \
        for (int64_t y = 0; y < s->out.y; y++) {                               \
            struct osw_separable_taps ty = osw_separable_taps_of(&s->y, y);    \
                                                                               \
            for (int64_t x = 0; x < s->out.x; x++)                             \
                *to++ = osw_separable_sum_##T(                                 \
                    s, (const T *)in, ty, osw_separable_taps_of(&s->x, x));    \
        }                                                                      \
    }                                                                          \
                                                                               \
    static inline void osw_separable_add_##T(                                  \
        const struct osw_separable *s, T gradient,                             \
        struct osw_separable_taps ty, struct osw_separable_taps tx, T *to)     \
    {                                                                          \
        for (int64_t y = 0; y < ty.n; y++) {                                   \
            T *row = to + (ty.first + y) * s->in.x + tx.first;                 \
            T of_row = gradient * (T)ty.weight[y > 0];                         \
                                                                               \
            for (int64_t x = 0; x < tx.n; x++)                                 \
                row[x] += of_row * (T)tx.weight[x > 0];                        \
        }                                                                      \
    }                                                                          \
                                                                               \
    static void osw_separable_back_##T(const void *job, int64_t plane,         \
                                       const void *in, void *out)              \
    {                                                                          \
        const struct osw_separable *s = (const struct osw_separable *)job;     \
        const T *gradient = (const T *)in;                                     \
                                                                               \
        (void)plane;                                                           \
        memset(out, 0, (size_t)(s->in.y * s->in.x) * sizeof(T));               \
        for (int64_t y = 0; y < s->out.y; y++) {                               \
            struct osw_separable_taps ty = osw_separable_taps_of(&s->y, y);    \
                                                                               \
            for (int64_t x = 0; x < s->out.x; x++)                             \
                osw_separable_add_##T(s, *gradient++, ty,                      \
                                      osw_separable_taps_of(&s->x, x),         \
                                      (T *)out);                               \
        }                                                                      \
    }

OSW_SEPARABLE_PLANE(float)
OSW_SEPARABLE_PLANE(double)

/* rc: that of what opened s. */
static inline int osw_separable_plain(const osw_call *call,
                                      const struct osw_separable *s, int rc)
{
    if (rc || !osw_planes_know(s->in.dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    return osw_planes_each(call, &s->in, &s->out,
                           s->in.dtype.bits == 64 ? osw_separable_plane_double
                                                  : osw_separable_plane_float,
                           s);
}

static inline int osw_separable_plain_back(const osw_call *call,
                                           const struct osw_separable *s,
                                           int rc)
{
    if (rc || !osw_planes_know(s->in.dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    return osw_planes_each(call, &s->out, &s->in,
                           s->in.dtype.bits == 64 ? osw_separable_back_double
                                                  : osw_separable_back_float,
                           s);
}

#endif /* OSW_LIBRARY_SEPARABLE_PLAIN_H */
