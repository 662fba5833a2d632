/* shared/sorting.h - rows along a dimension in ascending or descending order,
 * or the first k elements of that order; NaN is larger than any number, and
 * equal elements keep their order
 */
#ifndef OSW_LIBRARY_SORTING_H
#define OSW_LIBRARY_SORTING_H

#include <stdlib.h>

#include "rows.h"

struct osw_sorting {
    struct osw_rows x;
    struct osw_rows values, places; /* their n: elements that are kept */
    int descending;
    int only_distinct; /* refuse what equal elements leave open */
};

/* An element: keys are ordered as elements are to be. */
struct osw_sorting_key {
    int64_t key, place;
};

/* --- arguments --- */

/* The first k along dim; k < 0: all. */
static inline int osw_sorting_open(const osw_call *call, struct osw_sorting *s,
                                   int64_t dim, int64_t k, int descending)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_tensor *values, *places;
    int64_t shape[64];
    int32_t at;

    if (!self || self->ndim > 64)
        return osw_error(call, "expected a tensor");
    if (self->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    at = osw_rows_dim(dim, self->ndim);
    if (at < 0)
        return osw_error(call, "no such dimension");
    s->x = osw_rows_of(self, at);
    s->descending = descending;
    if (k > s->x.n)
        return osw_error(call, "k is larger than the dimension");
    for (int32_t d = 0; d < self->ndim; d++)
        shape[d] = d == at && k >= 0 ? k : self->shape[d];
    values = osw_output(call, 0, self->dtype, self->ndim, shape, NULL);
    places = osw_output(call, 1, osw_rows_i64(), self->ndim, shape, NULL);
    if (!values || !places)
        return OSW_ERROR;
    s->values = osw_rows_of(values, at);
    s->places = osw_rows_of(places, at);
    return 0;
}

/* (self, dim, descending) */
static inline int osw_sorting_open_sort(const osw_call *call,
                                        struct osw_sorting *s)
{
    return osw_sorting_open(call, s, osw_arg_int(call, 1, -1), -1,
                            osw_arg_int(call, 2, 0) != 0);
}

/* (self, stable, dim, descending) */
static inline int osw_sorting_open_stable(const osw_call *call,
                                          struct osw_sorting *s)
{
    return osw_sorting_open(call, s, osw_arg_int(call, 2, -1), -1,
                            osw_arg_int(call, 3, 0) != 0);
}

/* (self, k, dim, largest, sorted); they are sorted whether asked for or not */
static inline int osw_sorting_open_topk(const osw_call *call,
                                        struct osw_sorting *s)
{
    int64_t k = osw_arg_int(call, 1, 0);

    if (k < 0)
        return osw_error(call, "expected a k of 0 or more");
    return osw_sorting_open(call, s, osw_arg_int(call, 2, -1), k,
                            osw_arg_int(call, 3, 1) != 0);
}

/* --- keys --- */

/* How the bits of an element are read. */
struct osw_sorting_order {
    uint64_t sign;     /* the sign's bit; 0: there is none */
    uint64_t infinity; /* of floats: larger magnitudes are NaN; else 0 */
    int bits, is_bool, descending;
};

static inline struct osw_sorting_order
osw_sorting_order_of(const struct osw_sorting *s)
{
    osw_dtype t = s->x.tensor->dtype;
    struct osw_sorting_order o = {0, 0, t.bits, t.code == OSW_BOOL,
                                  s->descending};

    if (t.code != OSW_BOOL && t.code != OSW_UINT)
        o.sign = (uint64_t)1 << (t.bits - 1);
    if (t.code == OSW_BFLOAT)
        o.infinity = 0x7f80;
    else if (t.code == OSW_FLOAT)
        o.infinity = t.bits == 16   ? 0x7c00
                     : t.bits == 32 ? 0x7f800000
                                    : (uint64_t)0x7ff << 52;
    return o;
}

/* Floats by their bits: below 0 a larger magnitude is a smaller number. */
static inline int64_t osw_sorting_key_of(double v)
{
    int64_t bits;

    if (v != v)
        return INT64_MAX;
    v += 0.0; /* -0 is 0 */
    memcpy(&bits, &v, sizeof(bits));
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static inline void osw_sorting_read(const struct osw_sorting *s, int64_t row,
                                    struct osw_sorting_key *keys)
{
    int64_t at = osw_rows_offset(&s->x, row);
    osw_dtype t = s->x.tensor->dtype;

    for (int64_t i = 0; i < s->x.n; i++) {
        const void *p = osw_at(s->x.tensor, at + i * s->x.stride);
        int64_t key = osw_rows_is_float(s->x.tensor)
                          ? osw_sorting_key_of(osw_load(t, p))
                          : osw_load_int(t, p);

        keys[i].key = s->descending ? ~key : key;
        keys[i].place = i;
    }
}

/* The elements of the first keys, and their places. */
static inline void osw_sorting_write(const struct osw_sorting *s, int64_t row,
                                     const struct osw_sorting_key *keys)
{
    size_t bytes = s->x.tensor->dtype.bits / 8;
    const char *x = osw_rows_at(&s->x, row);
    char *values = osw_rows_at(&s->values, row);
    int64_t *places = (int64_t *)(void *)osw_rows_at(&s->places, row);

    for (int64_t i = 0; i < s->values.n; i++) {
        memcpy(values + i * s->values.stride * (int64_t)bytes,
               x + keys[i].place * s->x.stride * (int64_t)bytes, bytes);
        places[i * s->places.stride] = keys[i].place;
    }
}

static inline int osw_sorting_before(const struct osw_sorting_key *a,
                                     const struct osw_sorting_key *b)
{
    return a->key < b->key || (a->key == b->key && a->place < b->place);
}

/* Do equal keys leave open what is kept, or its order? */
static inline int osw_sorting_has_ties(const struct osw_sorting *s,
                                       const struct osw_sorting_key *keys)
{
    for (int64_t i = 0; i < s->values.n && i + 1 < s->x.n; i++)
        if (keys[i].key == keys[i + 1].key)
            return 1;
    return 0;
}

/* Sorted keys [n]; room [n]. */
typedef void osw_sorting_f(struct osw_sorting_key *keys,
                           struct osw_sorting_key *room, int64_t n);

/* Row by row over threads, each with room of its own.  rc: what opening the
 * arguments returned.
 */
static inline int osw_sorting_run(const osw_call *call,
                                  const struct osw_sorting *s, int rc,
                                  osw_sorting_f *sort)
{
    int64_t n = s->x.n, n_rows = n && s->values.n ? s->x.n_rows : 0;
    int threads = osw_rows_threads(call, n_rows), ties = 0;
    struct osw_sorting_key *room;

    if (rc)
        return rc;
    room = (struct osw_sorting_key *)osw_workspace(
        call, (size_t)(threads * n * 2 + 1) * sizeof(*room));
    if (!room)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : ties)
    for (int t = 0; t < threads; t++)
        for (int64_t row = n_rows * t / threads;
             row < n_rows * (t + 1) / threads; row++) {
            struct osw_sorting_key *keys = room + t * n * 2;

            osw_sorting_read(s, row, keys);
            sort(keys, keys + n, n);
            ties |= s->only_distinct && osw_sorting_has_ties(s, keys);
            osw_sorting_write(s, row, keys);
        }
    return ties ? OSW_UNSUPPORTED : 0;
}

/* --- the reference --- */

static int osw_sorting_compare(const void *a, const void *b)
{
    const struct osw_sorting_key *x = (const struct osw_sorting_key *)a;
    const struct osw_sorting_key *y = (const struct osw_sorting_key *)b;

    return osw_sorting_before(x, y) ? -1 : 1;
}

static inline void osw_sorting_library(struct osw_sorting_key *keys,
                                       struct osw_sorting_key *room, int64_t n)
{
    (void)room;
    qsort(keys, (size_t)n, sizeof(*keys), osw_sorting_compare);
}

/* --- the baseline: runs of twice the length are merged until one is left ---
 */

static inline void osw_sorting_merge(const struct osw_sorting_key *from,
                                     struct osw_sorting_key *to, int64_t half,
                                     int64_t n)
{
    int64_t i = 0, j = half;

    for (int64_t k = 0; k < n; k++)
        to[k] = j >= n || (i < half && from[i].key <= from[j].key) ? from[i++]
                                                                   : from[j++];
}

static inline void osw_sorting_by_merging(struct osw_sorting_key *keys,
                                          struct osw_sorting_key *room,
                                          int64_t n)
{
    struct osw_sorting_key *from = keys, *to = room, *other;

    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            int64_t left = n - i;

            osw_sorting_merge(from + i, to + i, width < left ? width : left,
                              2 * width < left ? 2 * width : left);
        }
        other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)n * sizeof(*keys));
}

#endif /* OSW_LIBRARY_SORTING_H */
