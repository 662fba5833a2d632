/* shared/planes.h - images as planes of floats, or of doubles for f64
 *
 * Work on planes is written once for each of the two types; elements of 16 bits
 * are converted on the way in and out.
 */
#ifndef OSW_LIBRARY_PLANES_H
#define OSW_LIBRARY_PLANES_H

#include "convert.h"
#include "image.h"

static inline int osw_planes_know(osw_dtype t)
{
    return osw_convert_knows(t) || (t.code == OSW_FLOAT && t.bits == 64);
}

/* Bytes of an element as it is computed with. */
static inline int64_t osw_planes_size(osw_dtype t)
{
    return t.bits == 64 ? 8 : 4;
}

/* n elements, `stride` apart, to `to` [n]. */
static inline void osw_planes_read_run(osw_dtype t, const char *from,
                                       int64_t stride, int64_t n, char *to)
{
    if (t.bits != 64)
        osw_convert_read(t, from, stride, n, (float *)(void *)to);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + 8 * i, from + 8 * i * stride, 8);
}

static inline void osw_planes_write_run(osw_dtype t, const char *from,
                                        int64_t n, int64_t stride, char *to)
{
    if (t.bits != 64)
        osw_convert_write(t, (const float *)(const void *)from, n, stride, to);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + 8 * i * stride, from + 8 * i, 8);
}

/* Are the elements of a plane one run? */
static inline int osw_planes_joined(const struct osw_image *m)
{
    return m->y == 1 || m->step[2] == m->step[3] * m->x;
}

/* The plane of image n and channel c: to [y, x]. */
static inline void osw_planes_read(const struct osw_image *m, int64_t n,
                                   int64_t c, void *to)
{
    int64_t rows = osw_planes_joined(m) ? 1 : m->y;
    int64_t run = m->y * m->x / (rows ? rows : 1);

    for (int64_t y = 0; y < rows; y++)
        osw_planes_read_run(
            m->dtype, osw_image_at(m, osw_image_offset(m, n, c, y, 0)),
            m->step[3], run, (char *)to + y * run * osw_planes_size(m->dtype));
}

static inline void osw_planes_write(const struct osw_image *m, int64_t n,
                                    int64_t c, const void *from)
{
    int64_t rows = osw_planes_joined(m) ? 1 : m->y;
    int64_t run = m->y * m->x / (rows ? rows : 1);

    for (int64_t y = 0; y < rows; y++)
        osw_planes_write_run(
            m->dtype, (const char *)from + y * run * osw_planes_size(m->dtype),
            run, m->step[3], osw_image_at(m, osw_image_offset(m, n, c, y, 0)));
}

/* A plane that is of the type already: used where it is.  Else NULL. */
static inline void *osw_planes_in_place(const struct osw_image *m, int64_t n,
                                        int64_t c)
{
    if (m->dtype.bits >= 32 && m->step[3] == 1 && osw_planes_joined(m))
        return osw_image_at(m, osw_image_offset(m, n, c, 0, 0));
    return NULL;
}

static inline const void *osw_planes_see(const struct osw_image *m, int64_t n,
                                         int64_t c, void *scratch)
{
    void *place = osw_planes_in_place(m, n, c);

    if (!place)
        osw_planes_read(m, n, c, scratch);
    return place ? place : scratch;
}

/* Threads for work on so many elements. */
static inline int osw_planes_threads(const osw_call *call, int64_t n)
{
    return n > 65536 ? (int)call->n_threads : 1;
}

/* --- a plane of the output from one of the input --- */

typedef void osw_planes_f(const void *job, int64_t plane, const void *in,
                          void *out);

/* Images and channels of `in` and `out` are the same; both are known dtypes of
 * one size of arithmetic.
 */
static inline int osw_planes_each(const osw_call *call,
                                  const struct osw_image *in,
                                  const struct osw_image *out, osw_planes_f *f,
                                  const void *job)
{
    int64_t planes = in->n * in->c, size = osw_planes_size(in->dtype);
    int64_t n_in = in->y * in->x, n_out = out->y * out->x;
    int threads = osw_planes_threads(call, planes * (n_in + n_out));
    char *scratch = (char *)osw_workspace(
        call, (size_t)((n_in + n_out) * size * threads) + 8);

    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        char *x = scratch + t * (n_in + n_out) * size, *y = x + n_in * size;

        for (int64_t i = planes * t / threads; i < planes * (t + 1) / threads;
             i++) {
            void *place = osw_planes_in_place(out, i / in->c, i % in->c);

            f(job, i, osw_planes_see(in, i / in->c, i % in->c, x),
              place ? place : y);
            if (!place)
                osw_planes_write(out, i / in->c, i % in->c, y);
        }
    }
    return 0;
}

#endif /* OSW_LIBRARY_PLANES_H */
