/* shared/index_put_plain.h - baseline: a copy of self, in which one entry of
 * the indices after the other is put; floats of 16 bits in float
 */
#ifndef OSW_LIBRARY_INDEX_PUT_PLAIN_H
#define OSW_LIBRARY_INDEX_PUT_PLAIN_H

#include "index_put.h"
#include "plain_picking.h"

/* y [n], step apart, from x [n] */
#define OSW_INDEX_PUT(name, T)                                                 \
    static inline void name(void *to, int64_t step, const void *from,          \
                            int64_t n, int accumulate)                         \
    {                                                                          \
        const T *x = (const T *)from;                                          \
        T *y = (T *)to;                                                        \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; accumulate && i < n; i++)                                  \
            y[i * step] += x[i];                                               \
        for (i = 0; !accumulate && i < n; i++)                                 \
            y[i * step] = x[i];                                                \
    }

OSW_INDEX_PUT(osw_index_put_float, float)
OSW_INDEX_PUT(osw_index_put_double, double)
OSW_INDEX_PUT(osw_index_put_int, uint64_t)

/* The p-th part of the output; row: of its own.  Returns 1 when an index is out
 * of range.
 */
static inline int osw_index_put_part(const struct osw_index_put *a,
                                     const struct osw_tensor *to,
                                     const struct osw_plain_way *w, int64_t p,
                                     char *row)
{
    void (*put)(void *, int64_t, const void *, int64_t, int) =
        to->dtype.code == OSW_INT ? osw_index_put_int
        : to->dtype.bits == 64    ? osw_index_put_double
                                  : osw_index_put_float;
    int64_t n, step, value_step, i, q;
    struct osw_index_dims outer = osw_index_put_rows(a, &n, &step, &value_step);

    for (i = 0; i < a->x.numel; i++) {
        int64_t at = osw_index_where(&a->x, i);
        int64_t first = (p * a->x.numel + i) * a->x.after.numel;

        if (at < 0)
            return 1;
        at += osw_index_offset(&a->x.before, p);
        for (q = 0; q < outer.numel; q++) {
            w->copy(w, row, 1,
                    (const char *)osw_at(a->values,
                                         osw_index_put_value(a, first + q * n)),
                    value_step, n);
            put(osw_at(to, at + osw_index_offset(&outer, q)), step, row, n,
                a->accumulate);
        }
    }
    return 0;
}

/* rc: what opening the arguments returned. */
static inline int osw_index_put_plain(const osw_call *call,
                                      const struct osw_index_put *a, int rc)
{
    struct osw_plain_total t;
    struct osw_plain_way w;
    int threads, bad = 0;
    int64_t n, step, value_step, p;

    if (rc)
        return rc;
    threads = osw_plain_threads(call, osw_numel(a->values));
    osw_index_put_rows(a, &n, &step, &value_step);
    rc = osw_plain_total_open(call, &t, a->out,
                              (size_t)(n * a->x.before.numel) * 8);
    if (!rc && !(t.is_out && osw_data(a->out) == osw_data(a->self)))
        rc = osw_plain_copy(call, &t.view.t, a->self);
    if (rc || !osw_plain_find_way(&w, t.view.t.dtype, a->values->dtype))
        return rc ? rc : OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (p = 0; p < a->x.before.numel; p++)
        bad |= a->x.after.numel > 0 &&
               osw_index_put_part(a, &t.view.t, &w, p, t.scratch + p * n * 8);
    return bad ? osw_error(call, "index is out of range")
               : osw_plain_total_close(call, &t);
}

#endif /* OSW_LIBRARY_INDEX_PUT_PLAIN_H */
