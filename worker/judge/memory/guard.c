/* worker/judge/memory/guard.c - poison around, between and under elements */
#include "worker/judge/memory/guard.h"

#include <string.h>

#include "worker/judge/memory/clones.h"

enum {
    WORD = 8,
    WORDS = 128, /* looked at together; 1 KiB */
};

/* --- ranges of bytes --- */

static uint64_t repeat(unsigned char pattern)
{
    return UINT64_C(0x0101010101010101) * pattern;
}

static uint64_t load(const unsigned char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

/* Bits in which WORDS words differ from one word. */
OSW_CLONES
static uint64_t differ_from(const void *data, uint64_t word)
{
    uint64_t w[WORDS], bits = 0;

    memcpy(w, data, sizeof(w));
    for (int i = 0; i < WORDS; i++)
        bits |= w[i] ^ word;
    return bits;
}

void osw_guard_fill(void *data, uint64_t n, unsigned char pattern)
{
    if (n > 0)
        memset(data, pattern, n);
}

int64_t osw_guard_check(const void *data, uint64_t n, unsigned char pattern)
{
    const unsigned char *p = data;
    uint64_t i = 0, step = WORDS * WORD;

    while (n - i >= step && differ_from(p + i, repeat(pattern)) == 0)
        i += step;
    while (n - i >= WORD && load(p + i) == repeat(pattern))
        i += WORD;
    for (; i < n; i++)
        if (p[i] != pattern)
            return (int64_t)i;
    return -1;
}

int64_t osw_guard_differs(const void *a, const void *b, uint64_t n)
{
    const unsigned char *p = a, *q = b;
    uint64_t i = 0, step = 4096;

    while (n - i >= step && memcmp(p + i, q + i, step) == 0)
        i += step;
    if (n - i < step && memcmp(p + i, q + i, (size_t)(n - i)) == 0)
        return -1;
    for (; i < n; i++)
        if (p[i] != q[i])
            return (int64_t)i;
    return -1;
}

/* --- gaps --- */

/* Gaps of a layout, one after the other, in elements. */
struct gaps {
    const struct osw_tensor_desc *desc;
    bool overlaps;        /* go element by element */
    struct osw_walk walk; /* else between runs, in the order of memory */
    struct osw_run run;   /* its elements from `done` on are still ahead */
    int64_t done;
    int64_t end, extent; /* [0, end) was seen */
};

static void gaps_start(struct gaps *g, const struct osw_tensor_desc *desc)
{
    memset(g, 0, sizeof(*g));
    g->desc = desc;
    if (!osw_tensor_has_gaps(desc->ndim, desc->shape, desc->strides))
        return;
    g->extent = osw_tensor_extent(desc->ndim, desc->shape, desc->strides);
    g->overlaps = osw_view_overlaps(desc);
    osw_walk_memory(&g->walk, desc);
}

/* Elements that nest come in the order of memory. */
static bool next_between_runs(struct gaps *g, int64_t *from, int64_t *n)
{
    while (g->end < g->extent) {
        int64_t start;

        if (g->done == g->run.n) {
            if (!osw_walk_next(&g->walk, INT64_MAX, &g->run))
                return false;
            g->done = 0;
        }
        start = g->run.offset + g->done * g->run.stride;
        *from = g->end;
        *n = start - g->end;
        if (g->run.stride == 1) {
            g->end = start + g->run.n - g->done;
            g->done = g->run.n;
        } else {
            g->end = start + 1;
            g->done++;
        }
        if (*n > 0)
            return true;
    }
    return false;
}

static bool gaps_next(struct gaps *g, int64_t *from, int64_t *n)
{
    if (!g->overlaps)
        return next_between_runs(g, from, n);
    while (g->end < g->extent && osw_view_find(g->desc, g->end, NULL))
        g->end++;
    *from = g->end++;
    *n = 1;
    return *from < g->extent;
}

void osw_guard_fill_gaps(const struct osw_view *v, unsigned char pattern)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v), from, n;
    struct gaps g;

    gaps_start(&g, v->desc);
    while (gaps_next(&g, &from, &n))
        osw_guard_fill((char *)v->data + from * bytes, (uint64_t)(n * bytes),
                       pattern);
}

int64_t osw_guard_check_gaps(const struct osw_view *v, unsigned char pattern)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v), from, n;
    struct gaps g;

    gaps_start(&g, v->desc);
    while (gaps_next(&g, &from, &n)) {
        int64_t at = osw_guard_check((const char *)v->data + from * bytes,
                                     (uint64_t)(n * bytes), pattern);

        if (at >= 0)
            return from * bytes + at;
    }
    return -1;
}

/* --- elements --- */

bool osw_guard_is_poison(const struct osw_view *v, int64_t index,
                         unsigned char pattern)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v);
    int64_t at = osw_view_offset(v->desc, index) * bytes;

    return osw_guard_check((const char *)v->data + at, (uint64_t)bytes,
                           pattern) < 0;
}
