/* shared/nearest_plain.h - baselines: resampling by the nearest element and its
 * gradient, plane by plane, element by element
 */
#ifndef OSW_LIBRARY_NEAREST_PLAIN_H
#define OSW_LIBRARY_NEAREST_PLAIN_H

#include "nearest.h"
#include "planes.h"

#define OSW_NEAREST_COPY(name, T)                                              \
    static inline void name(const void *job, int64_t plane, const void *in,    \
                            void *out)                                         \
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

/* Each gradient is added to the element that it is of a copy of. */
#define OSW_NEAREST_ADD(name, T)                                               \
    static inline void name(const void *job, int64_t plane, const void *in,    \
                            void *out)                                         \
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

OSW_NEAREST_COPY(osw_nearest_copy_float, float)
OSW_NEAREST_COPY(osw_nearest_copy_double, double)
OSW_NEAREST_ADD(osw_nearest_add_float, float)
OSW_NEAREST_ADD(osw_nearest_add_double, double)

/* rc: what opening the arguments returned. */
static inline int osw_nearest_plain(const osw_call *call,
                                    const struct osw_nearest *r, int rc)
{
    if (rc)
        return rc;
    if (!osw_planes_know(r->in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &r->in, &r->out,
                           r->in.dtype.bits == 64 ? osw_nearest_copy_double
                                                  : osw_nearest_copy_float,
                           r);
}

static inline int osw_nearest_plain_back(const osw_call *call,
                                         const struct osw_nearest *r, int rc)
{
    if (rc)
        return rc;
    if (!osw_planes_know(r->in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &r->out, &r->in,
                           r->in.dtype.bits == 64 ? osw_nearest_add_double
                                                  : osw_nearest_add_float,
                           r);
}

#endif /* OSW_LIBRARY_NEAREST_PLAIN_H */
