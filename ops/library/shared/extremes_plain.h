/* shared/extremes_plain.h - baseline of extremes.h: for each output a loop over
 * its elements, by dtype
 */
#ifndef OSW_LIBRARY_EXTREMES_PLAIN_H
#define OSW_LIBRARY_EXTREMES_PLAIN_H

#include "extremes.h"
#include "plain.h"

/* The place of the extreme among elements from x on: n by n, `outer` says
 * where the next n begin.
 */
#define OSW_EXTREMES_FIND(d, code, bits, E, get, put, T)                       \
    static inline int64_t osw_extremes_##d(                                    \
        const void *from, const struct osw_reduce_dims *outer, int64_t n,      \
        int64_t stride, int least)                                             \
    {                                                                          \
        T best = (T)get(*(const E *)from);                                     \
        int64_t place = 0, o, i;                                               \
                                                                               \
        for (o = 0; o < outer->numel; o++) {                                   \
            const E *x = (const E *)from + osw_reduce_offset(outer, o);        \
                                                                               \
            for (i = 0; i < n; i++) {                                          \
                T v = (T)get(x[i * stride]);                                   \
                int before = least ? !(v >= best) : !(v <= best);              \
                                                                               \
                if (before && best == best) {                                  \
                    best = v;                                                  \
                    place = o * n + i;                                         \
                }                                                              \
            }                                                                  \
        }                                                                      \
        return place;                                                          \
    }

OSW_PLAIN_16_AND_32(OSW_EXTREMES_FIND, float)
OSW_PLAIN_64(OSW_EXTREMES_FIND, double)
OSW_PLAIN_INTEGERS(OSW_EXTREMES_FIND, int64_t)

typedef int64_t osw_extremes_f(const void *from,
                               const struct osw_reduce_dims *outer, int64_t n,
                               int64_t stride, int least);

#define OSW_EXTREMES_ROW(d, code, bits, E, get, put, ...)                      \
    {code, bits, osw_extremes_##d},

static inline osw_extremes_f *osw_extremes_find(osw_dtype t)
{
    static const struct {
        int code, bits;
        osw_extremes_f *find;
    } rows[] = {OSW_PLAIN_16_AND_32(OSW_EXTREMES_ROW, ) OSW_PLAIN_64(
        OSW_EXTREMES_ROW, ) OSW_PLAIN_INTEGERS(OSW_EXTREMES_ROW, )};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].code == t.code && rows[i].bits == t.bits)
            return rows[i].find;
    return NULL;
}

/* rc: what opening the arguments returned. */
static inline int osw_extremes_plain(const osw_call *call,
                                     const struct osw_extremes *e, int rc)
{
    osw_extremes_f *find = rc ? NULL : osw_extremes_find(e->x->dtype);
    struct osw_reduce_dims outer = e->over;
    int64_t n = 1, stride = 0;
    int threads;

    if (!find)
        return rc ? rc : OSW_UNSUPPORTED;
    if (outer.n) {
        n = outer.shape[--outer.n];
        stride = outer.strides[outer.n];
        outer.numel = n ? outer.numel / n : 0;
    }
    threads = osw_plain_threads(call, osw_numel(e->x));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < e->kept.numel; k++)
        osw_extremes_put(e, k,
                         find(osw_at(e->x, osw_reduce_offset(&e->kept, k)),
                              &outer, n, stride, e->least));
    return 0;
}

#endif /* OSW_LIBRARY_EXTREMES_PLAIN_H */
