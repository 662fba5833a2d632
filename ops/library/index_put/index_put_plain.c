/* ops/library/index_put/index_put_plain.c - a copy of self, in which one entry
 * of the indices after the other is put; floats of 16 bits in float
 */
#include "../shared/plain_picking.h"
#include "index_put.h"

/* y [n], step apart, from x [n] */
#define PUT(name, T)                                                           \
    static void name(void *to, int64_t step, const void *from, int64_t n,      \
                     int accumulate)                                           \
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

PUT(put_float, float)
PUT(put_double, double)
PUT(put_int, uint64_t)

/* The p-th part of the output; row: of its own.  Returns 1 when an index is out
 * of range.
 */
static int put_part(const struct osw_index_put *a, const struct osw_tensor *to,
                    const struct osw_plain_way *w, int64_t p, char *row)
{
    void (*put)(void *, int64_t, const void *, int64_t, int) =
        to->dtype.code == OSW_INT ? put_int
        : to->dtype.bits == 64    ? put_double
                                  : put_float;
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

int index_put_kernel_impl(const osw_call *call)
{
    struct osw_index_put a = {0};
    struct osw_plain_total t;
    struct osw_plain_way w;
    int rc = osw_index_put_open(call, &a), threads, bad = 0;
    int64_t n, step, value_step, p;

    if (rc)
        return rc;
    threads = osw_plain_threads(call, osw_numel(a.values));
    osw_index_put_rows(&a, &n, &step, &value_step);
    rc = osw_plain_total_open(call, &t, a.out,
                              (size_t)(n * a.x.before.numel) * 8);
    if (!rc)
        rc = osw_plain_copy(call, &t.view.t, a.self);
    if (rc || !osw_plain_find_way(&w, t.view.t.dtype, a.values->dtype))
        return rc ? rc : OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (p = 0; p < a.x.before.numel; p++)
        bad |= a.x.after.numel > 0 &&
               put_part(&a, &t.view.t, &w, p, t.scratch + p * n * 8);
    return bad ? osw_error(call, "index is out of range")
               : osw_plain_total_close(call, &t);
}
