/* shared/sorting_words.h - elements as unsigned codes, and words in order, on a
 * processor
 *
 * A smaller code comes first, and equal elements have equal ones.  What is
 * sorted, digit by digit, are words: 32 bits of a code, and below them the
 * place of the element.  Codes of 64 bits are sorted by their low half, then by
 * their high one.
 */
#ifndef OSW_LIBRARY_SORTING_WORDS_H
#define OSW_LIBRARY_SORTING_WORDS_H

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

/* The bits in which codes differ. */
static inline uint64_t osw_radix_differ(const uint64_t *codes, int64_t n)
{
    uint64_t differ = 0;

    for (int64_t i = 0; i < n; i++)
        differ |= codes[i] ^ codes[0];
    return differ;
}

/* What threads do in parts of a row: elements [from, end) are those of thread
 * t. One thread does it without OpenMP, which takes 1 us to begin and end.
 */
struct osw_radix_job {
    const struct osw_sorting *s;
    const struct osw_radix_source *source;
    const struct osw_radix_room *r;
    int64_t row, n;
    int shift;
};

typedef void osw_radix_part(const struct osw_radix_job *j, int t, int64_t from,
                            int64_t end);

static inline void osw_radix_share(const struct osw_radix_job *j,
                                   osw_radix_part *part)
{
    int threads = j->r->threads;
    int64_t n = j->n;

    if (threads == 1) {
        part(j, 0, 0, n);
        return;
    }
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        part(j, t, n * t / threads, n * (t + 1) / threads);
}

static inline void osw_radix_count(const struct osw_radix_job *j, int t,
                                   int64_t from, int64_t end)
{
    uint32_t *counts = j->r->counts[t];

    memset(counts, 0, sizeof(osw_radix_counts));
    for (int64_t i = from; i < end; i++)
        counts[osw_radix_digit(j->r->words[i], j->shift)]++;
}

static inline void osw_radix_move(const struct osw_radix_job *j, int t,
                                  int64_t from, int64_t end)
{
    const uint64_t *words = j->r->words;
    uint32_t *counts = j->r->counts[t];
    uint64_t *to = j->r->other;

    for (int64_t i = from; i < end; i++)
        to[counts[osw_radix_digit(words[i], j->shift)]++] = words[i];
}

/* r->words by one digit to r->other, equal ones in their order. */
static inline void osw_radix_pass(const struct osw_radix_room *r, int64_t n,
                                  int shift)
{
    struct osw_radix_job job = {.r = r, .n = n, .shift = shift};
    uint32_t start = 0;

    osw_radix_share(&job, osw_radix_count);
    for (int d = 0; d < OSW_RADIX_SIZE; d++)
        for (int t = 0; t < r->threads; t++) {
            uint32_t count = r->counts[t][d];

            r->counts[t][d] = start;
            start += count;
        }
    osw_radix_share(&job, osw_radix_move);
}

/* r->words [n] by their upper halves, which differ in such bits; r->other takes
 * part.  Afterwards r->words are in order.
 */
static inline void osw_radix_words(struct osw_radix_room *r, int64_t n,
                                   uint64_t differ)
{
    if (n <= OSW_RADIX_SHORT) {
        osw_radix_insert(r->words, n);
        return;
    }
    for (int shift = 0; shift < 32; shift += OSW_RADIX_DIGIT)
        if (osw_radix_digit(differ, shift)) {
            uint64_t *words = r->other;

            osw_radix_pass(r, n, shift + 32);
            r->other = r->words;
            r->words = words;
        }
}

static inline void osw_radix_low(const struct osw_radix_job *j, int t,
                                 int64_t from, int64_t end)
{
    (void)t;
    for (int64_t i = from; i < end; i++)
        j->r->words[i] = j->r->codes[i] << 32 | (uint64_t)i;
}

static inline void osw_radix_high(const struct osw_radix_job *j, int t,
                                  int64_t from, int64_t end)
{
    (void)t;
    for (int64_t i = from; i < end; i++) {
        uint64_t at = (uint32_t)j->r->words[i];

        j->r->words[i] = j->r->codes[at] >> 32 << 32 | at;
    }
}

/* The codes' order: the lower half of r->words[i] is the place of the one that
 * comes as the i-th.  Where `other` are the codes, these are lost.
 */
static inline void osw_radix_sort(struct osw_radix_room *r, int64_t n)
{
    uint64_t differ = osw_radix_differ(r->codes, n);
    struct osw_radix_job job = {.r = r, .n = n};

    osw_radix_share(&job, osw_radix_low);
    osw_radix_words(r, n, differ);
    if (differ >> 32 == 0)
        return;
    osw_radix_share(&job, osw_radix_high);
    osw_radix_words(r, n, differ >> 32);
}

#endif /* OSW_LIBRARY_SORTING_WORDS_H */
