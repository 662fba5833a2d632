/* shared/sorting_first.h - the codes of a row that come first, found in one
 * pass over it
 */
#ifndef OSW_LIBRARY_SORTING_FIRST_H
#define OSW_LIBRARY_SORTING_FIRST_H

#include "sorting_words.h"

/* The k-th smallest code, from 1 on: by the first bits in which codes differ,
 * then of those that have the same ones.  `room` [n].
 */
static inline uint64_t osw_radix_find(const uint64_t *codes, int64_t n,
                                      int64_t k, uint64_t *room)
{
    uint64_t differ;

    while ((differ = osw_radix_differ(codes, n)) != 0) {
        int shift = 64 - __builtin_clzll(differ) - OSW_RADIX_DIGIT;
        osw_radix_counts counts = {0};
        unsigned digit = 0;
        int64_t kept = 0;

        shift = shift > 0 ? shift : 0;
        for (int64_t i = 0; i < n; i++)
            counts[osw_radix_digit(codes[i], shift)]++;
        for (; k > counts[digit]; digit++)
            k -= counts[digit];
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
    int limited;
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
    b->limit = osw_radix_find(codes, b->n, b->k, b->r->words);
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

#endif /* OSW_LIBRARY_SORTING_FIRST_H */
