/* shared/sorting_radix.h - rows in order, or their first k elements, on a
 * processor: elements become unsigned codes, which are sorted digit by digit
 *
 * A smaller code comes first, and equal elements have equal ones.  What is
 * sorted are words: 32 bits of a code, and below them the place of the element.
 * Codes of 64 bits are sorted by their low half, then by their high one.
 */
#ifndef OSW_LIBRARY_SORTING_RADIX_H
#define OSW_LIBRARY_SORTING_RADIX_H

#include "sorting.h"

enum {
    OSW_RADIX_DIGIT = 8, /* bits */
    OSW_RADIX_SIZE = 1 << OSW_RADIX_DIGIT,
    OSW_RADIX_SHORT = 32,    /* as many words and fewer are inserted */
    OSW_RADIX_FEW = 64,      /* as many of a row and fewer are kept in order */
    OSW_RADIX_BLOCK = 128,   /* elements that are looked at together */
    OSW_RADIX_THREADS = 256, /* at most */
    OSW_RADIX_PARALLEL = 131072 /* elements of a thread's part of a row */
};

typedef uint32_t osw_radix_counts[OSW_RADIX_SIZE];

/* Memory of the threads that work on a row together. */
struct osw_radix_room {
    uint64_t *codes, *words, *other;
    uint32_t *places;
    osw_radix_counts *counts; /* [threads] */
    int threads;
};

/* --- elements --- */

/* Codes of n elements of a row.  NaN has the largest one, and both zeros have
 * the same.  Values: rank i becomes element where[i] of the row.
 */
#define OSW_RADIX_ELEMENTS(T, codes_of, values_of)                             \
    static inline void codes_of(const struct osw_sorting_order *o,             \
                                const void *row, int64_t step, int64_t n,      \
                                uint64_t *restrict to)                         \
    {                                                                          \
        const T *restrict x = (const T *)row;                                  \
        T sign = (T)o->sign, infinity = (T)o->infinity;                        \
        T flip = (T)(o->descending ? ~(T)0 : 0);                               \
                                                                               \
        if (o->is_bool)                                                        \
            for (int64_t i = 0; i < n; i++)                                    \
                to[i] = (T)((T)(x[i * step] != 0) ^ flip);                     \
        else if (!infinity)                                                    \
            for (int64_t i = 0; i < n; i++)                                    \
                to[i] = (T)(x[i * step] ^ sign ^ flip);                        \
        else                                                                   \
            for (int64_t i = 0; i < n; i++) {                                  \
                T bits = x[i * step], size = (T)(bits & (T)~sign);             \
                T code = (T)(size | sign);                                     \
                                                                               \
                code = (bits & sign) && size ? (T)~bits : code;                \
                code = size > infinity ? (T) ~(T)0 : code;                     \
                to[i] = (T)(code ^ flip);                                      \
            }                                                                  \
    }                                                                          \
                                                                               \
    static inline void values_of(const void *row, int64_t x_step,              \
                                 const int64_t *where, int64_t n, void *to,    \
                                 int64_t step)                                 \
    {                                                                          \
        const T *restrict x = (const T *)row;                                  \
        T *restrict y = (T *)to;                                               \
                                                                               \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i * step] = x[where[i] * x_step];                                \
    }

OSW_RADIX_ELEMENTS(uint8_t, osw_radix_codes_8, osw_radix_values_8)
OSW_RADIX_ELEMENTS(uint16_t, osw_radix_codes_16, osw_radix_values_16)
OSW_RADIX_ELEMENTS(uint32_t, osw_radix_codes_32, osw_radix_values_32)
OSW_RADIX_ELEMENTS(uint64_t, osw_radix_codes_64, osw_radix_values_64)

/* A row of self. */
struct osw_radix_source {
    struct osw_sorting_order order;
    const char *x;
    int64_t step; /* between elements, in elements */
};

static inline struct osw_radix_source
osw_radix_source_of(const struct osw_sorting *s, int64_t row)
{
    struct osw_radix_source from = {osw_sorting_order_of(s),
                                    osw_rows_at(&s->x, row), s->x.stride};

    return from;
}

/* Elements [at, at + n) of a row. */
static inline void osw_radix_codes(const struct osw_radix_source *from,
                                   int64_t at, int64_t n, uint64_t *to)
{
    const struct osw_sorting_order *o = &from->order;
    int64_t step = from->step;
    const char *x = from->x + at * step * (o->bits / 8);

    if (o->bits == 8)
        osw_radix_codes_8(o, x, step, n, to);
    else if (o->bits == 16)
        osw_radix_codes_16(o, x, step, n, to);
    else if (o->bits == 32)
        osw_radix_codes_32(o, x, step, n, to);
    else
        osw_radix_codes_64(o, x, step, n, to);
}

/* Ranks [from, to) of the outputs' row.  A word says where its element is:
 * there, or at the place that is there in `places`.
 */
static inline void osw_radix_write(const struct osw_sorting *s, int64_t row,
                                   const uint64_t *words,
                                   const uint32_t *places, int64_t from,
                                   int64_t to)
{
    int bits = s->x.tensor->dtype.bits;
    int64_t step = s->values.stride, where[OSW_RADIX_BLOCK], n;
    const char *x = osw_rows_at(&s->x, row);
    char *values = osw_rows_at(&s->values, row);
    int64_t *out = (int64_t *)(void *)osw_rows_at(&s->places, row);

    for (int64_t i = from; i < to; i += n) {
        char *y = values + i * step * (bits / 8);

        n = to - i < OSW_RADIX_BLOCK ? to - i : OSW_RADIX_BLOCK;
        for (int64_t j = 0; j < n; j++) {
            uint32_t at = (uint32_t)words[i + j];

            where[j] = places ? places[at] : at;
            out[(i + j) * s->places.stride] = where[j];
        }
        if (bits == 8)
            osw_radix_values_8(x, s->x.stride, where, n, y, step);
        else if (bits == 16)
            osw_radix_values_16(x, s->x.stride, where, n, y, step);
        else if (bits == 32)
            osw_radix_values_32(x, s->x.stride, where, n, y, step);
        else
            osw_radix_values_64(x, s->x.stride, where, n, y, step);
    }
}

/* --- words in order --- */

static inline unsigned osw_radix_digit(uint64_t word, int shift)
{
    return (unsigned)(word >> shift) & (OSW_RADIX_SIZE - 1);
}

/* Few words by the upper half, equal ones in their order. */
static inline void osw_radix_insert(uint64_t *words, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t word = words[i];
        int64_t at = i;

        for (; at > 0 && words[at - 1] >> 32 > word >> 32; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

/* By one digit, equal ones in their order.  0: all have the same digit, and
 * nothing is moved.
 */
static inline int osw_radix_pass(const struct osw_radix_room *r,
                                 const uint64_t *from, uint64_t *to, int64_t n,
                                 int shift)
{
    osw_radix_counts *counts = r->counts;
    int threads = r->threads;
    uint32_t start = 0;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        memset(counts[t], 0, sizeof(counts[t]));
        for (int64_t i = n * t / threads; i < n * (t + 1) / threads; i++)
            counts[t][osw_radix_digit(from[i], shift)]++;
    }
    for (int d = 0; d < OSW_RADIX_SIZE; d++) {
        uint32_t before = start;

        for (int t = 0; t < threads; t++) {
            uint32_t count = counts[t][d];

            counts[t][d] = start;
            start += count;
        }
        if (start - before == n)
            return 0;
    }
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t i = n * t / threads; i < n * (t + 1) / threads; i++)
            to[counts[t][osw_radix_digit(from[i], shift)]++] = from[i];
    return 1;
}

/* r->words [n] by the codes of so many bits in their upper halves; r->other
 * takes part.  Afterwards r->words are in order.
 */
static inline void osw_radix_words(struct osw_radix_room *r, int64_t n,
                                   int bits)
{
    if (n <= OSW_RADIX_SHORT) {
        osw_radix_insert(r->words, n);
        return;
    }
    for (int shift = 32; shift < 32 + bits; shift += OSW_RADIX_DIGIT)
        if (osw_radix_pass(r, r->words, r->other, n, shift)) {
            uint64_t *words = r->other;

            r->other = r->words;
            r->words = words;
        }
}

/* The codes' order: the lower half of r->words[i] is the place of the one that
 * comes as the i-th.  Codes of 32 bits and fewer are lost.
 */
static inline void osw_radix_sort(struct osw_radix_room *r, int64_t n, int bits)
{
    int threads = r->threads;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i++)
        r->words[i] = r->codes[i] << 32 | (uint64_t)i;
    if (bits <= 32) {
        osw_radix_words(r, n, bits);
        return;
    }
    osw_radix_words(r, n, 32);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = (uint32_t)r->words[i];

        r->words[i] = r->codes[at] >> 32 << 32 | at;
    }
    osw_radix_words(r, n, 32);
}

/* --- the first k --- */

/* The k-th smallest code, from 1 on: digit by digit, of those that have the
 * same digits so far.  `room` [n].
 */
static inline uint64_t osw_radix_find(const uint64_t *codes, int64_t n,
                                      int64_t k, uint64_t *room, int bits)
{
    for (int shift = bits - OSW_RADIX_DIGIT; shift >= 0 && n > 1;
         shift -= OSW_RADIX_DIGIT) {
        osw_radix_counts counts = {0};
        unsigned digit = 0;
        int64_t kept = 0;

        for (int64_t i = 0; i < n; i++)
            counts[osw_radix_digit(codes[i], shift)]++;
        for (; k > counts[digit]; digit++)
            k -= counts[digit];
        if (counts[digit] == n)
            continue;
        for (int64_t i = 0; i < n; i++) {
            uint64_t code = codes[i];

            room[kept] = code;
            kept += osw_radix_digit(code, shift) == digit;
        }
        codes = room;
        n = kept;
    }
    return codes[0];
}

/* Elements that may be among the first k of a row: all so far, or those before
 * a limit.  Few are held in order, more in the row's order.
 */
struct osw_radix_best {
    struct osw_radix_room *r; /* codes, places; words are scratch */
    int64_t n, k;             /* held, wanted */
    int bits, limited;
    uint64_t limit;
};

/* Few: a code after those that are not larger; the last one makes room. */
static inline void osw_radix_keep(struct osw_radix_best *b, uint64_t code,
                                  uint32_t place)
{
    uint64_t *codes = b->r->codes;
    uint32_t *places = b->r->places;
    int64_t at = b->limited ? b->k - 1 : b->n++;

    for (; at > 0 && codes[at - 1] > code; at--) {
        codes[at] = codes[at - 1];
        places[at] = places[at - 1];
    }
    codes[at] = code;
    places[at] = place;
    b->limited = b->n == b->k;
    b->limit = codes[b->n - 1];
}

/* Many, down to k: of equal ones those that come first. */
static inline void osw_radix_cut(struct osw_radix_best *b)
{
    uint64_t *codes = b->r->codes;
    uint32_t *places = b->r->places;
    int64_t before = 0, kept = 0, equal;

    if (b->n <= b->k)
        return;
    b->limit = osw_radix_find(codes, b->n, b->k, b->r->words, b->bits);
    b->limited = 1;
    for (int64_t i = 0; i < b->n; i++)
        before += codes[i] < b->limit;
    equal = b->k - before;
    for (int64_t i = 0; i < b->n; i++) {
        int is_equal = codes[i] == b->limit && equal > 0;
        int keep = codes[i] < b->limit || is_equal;

        codes[kept] = codes[i];
        places[kept] = places[i];
        kept += keep;
        equal -= is_equal;
    }
    b->n = kept;
}

/* A block of n codes, the first of place `at`. */
static inline void osw_radix_hold(struct osw_radix_best *b,
                                  const uint64_t *block, int64_t n, int64_t at)
{
    if (b->k <= OSW_RADIX_FEW) {
        for (int64_t i = 0; i < n; i++)
            if (!b->limited || block[i] < b->limit)
                osw_radix_keep(b, block[i], (uint32_t)(at + i));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        b->r->codes[b->n] = block[i];
        b->r->places[b->n] = (uint32_t)(at + i);
        b->n += !b->limited || block[i] < b->limit;
    }
    if (b->n >= 2 * b->k)
        osw_radix_cut(b);
}

/* Does one of n codes come before the limit? */
static inline int osw_radix_any(const uint64_t *codes, int64_t n,
                                uint64_t limit)
{
    uint64_t any = 0;

    for (int64_t i = 0; i < n; i++)
        any |= codes[i] < limit;
    return any != 0;
}

/* Elements [at, end) of a row. */
static inline void osw_radix_offer(struct osw_radix_best *b,
                                   const struct osw_radix_source *from,
                                   int64_t at, int64_t end)
{
    uint64_t block[OSW_RADIX_BLOCK];

    for (int64_t n; at < end; at += n) {
        n = end - at < OSW_RADIX_BLOCK ? end - at : OSW_RADIX_BLOCK;
        osw_radix_codes(from, at, n, block);
        if (!b->limited || osw_radix_any(block, n, b->limit))
            osw_radix_hold(b, block, n, at);
    }
    osw_radix_cut(b);
}

/* --- rows --- */

/* Codes that a thread has room for: of whole rows, or of what is held of them
 * where few elements are kept.  Threads share rows or parts of a row.
 */
static inline int64_t osw_radix_size(const struct osw_sorting *s, int parts)
{
    int64_t k = s->values.n, held = 2 * k > parts * k ? 2 * k : parts * k;

    held += OSW_RADIX_BLOCK;
    return k == s->x.n || held > s->x.n ? s->x.n : held;
}

/* All elements of a row. */
static inline void osw_radix_row(const struct osw_sorting *s, int64_t row,
                                 struct osw_radix_room r)
{
    struct osw_radix_source from = osw_radix_source_of(s, row);
    int64_t n = s->x.n;
    int threads = r.threads, bits = from.order.bits;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        int64_t at = n * t / threads;

        osw_radix_codes(&from, at, n * (t + 1) / threads - at, r.codes + at);
    }
    if (bits <= 32)
        r.other = r.codes;
    osw_radix_sort(&r, n, bits);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        osw_radix_write(s, row, r.words, NULL, n * t / threads,
                        n * (t + 1) / threads);
}

/* The first k of a row.  Each of the threads, with a room of its own, keeps k
 * of its part; the first one's room takes all of them.
 */
static inline void osw_radix_top(const struct osw_sorting *s, int64_t row,
                                 struct osw_radix_room *rooms, int parts)
{
    struct osw_radix_source from = osw_radix_source_of(s, row);
    struct osw_radix_best best[OSW_RADIX_THREADS];
    int64_t n = s->x.n, k = s->values.n;

#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int t = 0; t < parts; t++) {
        struct osw_radix_best none = {&rooms[t], 0, k, from.order.bits, 0, 0};

        best[t] = none;
        osw_radix_offer(&best[t], &from, n * t / parts, n * (t + 1) / parts);
    }
    for (int t = 1; t < parts; t++) {
        memcpy(rooms[0].codes + best[0].n, rooms[t].codes,
               (size_t)best[t].n * 8);
        memcpy(rooms[0].places + best[0].n, rooms[t].places,
               (size_t)best[t].n * 4);
        best[0].n += best[t].n;
    }
    osw_radix_cut(&best[0]);
    if (parts == 1 && k <= OSW_RADIX_FEW) /* they are in order */
        for (int64_t i = 0; i < k; i++)
            rooms[0].words[i] = (uint64_t)i;
    else
        osw_radix_sort(&rooms[0], k, from.order.bits);
    osw_radix_write(s, row, rooms[0].words, rooms[0].places, 0, k);
}

/* Rooms of the call's workspace; parts: threads that share counts. */
static inline int osw_radix_open(const osw_call *call,
                                 struct osw_radix_room *rooms, int n_rooms,
                                 int64_t size, int parts)
{
    size_t bytes = (size_t)size * 28 + (size_t)parts * sizeof(osw_radix_counts);
    char *room;

    bytes = (bytes + 63) / 64 * 64;
    room = (char *)osw_workspace(call, bytes * (size_t)n_rooms);
    for (int t = 0; room && t < n_rooms; t++, room += bytes) {
        struct osw_radix_room *r = &rooms[t];

        r->codes = (uint64_t *)(void *)room;
        r->words = r->codes + size;
        r->other = r->words + size;
        r->places = (uint32_t *)(void *)(r->other + size);
        r->counts = (osw_radix_counts *)(void *)(r->places + size);
        r->threads = parts;
    }
    return room ? 0 : OSW_ERROR;
}

static inline int osw_radix_threads(const osw_call *call, int64_t n)
{
    return osw_rows_threads(call,
                            n < OSW_RADIX_THREADS ? n : OSW_RADIX_THREADS);
}

/* Threads share the rows where there are enough of them, else parts of each.
 * rc: what opening the arguments returned.
 */
static inline int osw_sorting_by_radix(const osw_call *call,
                                       const struct osw_sorting *s, int rc)
{
    int64_t n = s->x.n, k = s->values.n, rows = s->x.n_rows;
    int64_t size;
    struct osw_radix_room rooms[OSW_RADIX_THREADS];
    int threads, parts;

    if (rc || rows * k == 0)
        return rc;
    if (n >= UINT32_MAX)
        return OSW_UNSUPPORTED;
    threads = osw_radix_threads(call, rows);
    parts = osw_radix_threads(call, n / OSW_RADIX_PARALLEL);
    if (threads >= parts)
        parts = 1;
    else
        threads = 1;
    size = osw_radix_size(s, parts);
    rc = osw_radix_open(call, rooms, k == n ? threads : threads * parts, size,
                        parts);
    if (rc)
        return rc;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t row = rows * t / threads; row < rows * (t + 1) / threads;
             row++) {
            if (k == n)
                osw_radix_row(s, row, rooms[t]);
            else
                osw_radix_top(s, row, &rooms[t], parts);
        }
    return 0;
}

#endif /* OSW_LIBRARY_SORTING_RADIX_H */
