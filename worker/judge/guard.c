/* worker/judge/guard.c - poison around, between and under elements */
#include "worker/judge/guard.h"

#include <string.h>

#include "worker/judge/clones.h"

enum {
    GUARD_MIN = 4096,
    GUARD_MAX = 256 * 1024,
    GUARD_ALIGN = 256,
    WORDS = 128, /* looked at together; 1 KiB */
};

uint64_t osw_guard_bytes(uint64_t bytes)
{
    uint64_t n = bytes / 8;

    n = n < GUARD_MIN ? GUARD_MIN : n > GUARD_MAX ? GUARD_MAX : n;
    return (n + GUARD_ALIGN - 1) / GUARD_ALIGN * GUARD_ALIGN;
}

/* --- ranges of bytes --- */

static uint64_t repeat(unsigned char pattern)
{
    return UINT64_C(0x0101010101010101) * pattern;
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
    uint64_t i = 0, step = WORDS * sizeof(uint64_t);

    while (n - i >= step && differ_from(p + i, repeat(pattern)) == 0)
        i += step;
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

/* Is one of the words in 1 KiB all pattern?  Nearly always none is. */
#define LOOKER(name, type)                                                     \
    OSW_CLONES static bool look_##name(const void *data, uint64_t word)        \
    {                                                                          \
        enum { N = WORDS * sizeof(uint64_t) / sizeof(type) };                  \
        type w[N], poison = (type)word, any = 0;                               \
                                                                               \
        memcpy(w, data, sizeof(w));                                            \
        for (int i = 0; i < N; i++)                                            \
            any = (type)(any | (w[i] == poison));                              \
        return any;                                                            \
    }
LOOKER(u8, uint8_t)
LOOKER(u16, uint16_t)
LOOKER(u32, uint32_t)
LOOKER(u64, uint64_t)

static bool (*const lookers[])(const void *data, uint64_t word) = {
    [1] = look_u8,  [2] = look_u16,  [4] = look_u32,
    [8] = look_u64, [16] = look_u64, /* half of one is enough to look closer */
};

static bool is_poison(const unsigned char *p, size_t bytes,
                      unsigned char pattern)
{
    for (size_t k = 0; k < bytes; k++)
        if (p[k] != pattern)
            return false;
    return true;
}

static void count_poison(const unsigned char *data, size_t bytes,
                         const struct osw_run *run, unsigned char pattern,
                         struct osw_poisoned *out)
{
    const int64_t step = (int64_t)(WORDS * sizeof(uint64_t) / bytes);

    for (int64_t k = 0; k < run->n; k++) {
        const unsigned char *p =
            data + (run->offset + k * run->stride) * (int64_t)bytes;

        if (k % step == 0 && run->stride == 1)
            while (run->n - k >= step && !lookers[bytes](p, repeat(pattern))) {
                k += step;
                p += step * (int64_t)bytes;
            }
        if (k == run->n)
            break;
        if (!is_poison(p, bytes, pattern))
            continue;
        if (out->n < OSW_POISONED_MAX)
            out->first[out->n] = run->index + k * run->index_step;
        out->n++;
    }
}

void osw_guard_poisoned(const struct osw_view *v, unsigned char pattern,
                        struct osw_poisoned *out)
{
    size_t bytes = osw_view_elem_bytes(v);
    struct osw_walk w;
    struct osw_run run;

    out->n = 0;
    osw_walk_rows(&w, v->desc);
    while (osw_walk_next(&w, INT64_MAX, &run))
        count_poison(v->data, bytes, &run, pattern, out);
}

int64_t osw_guard_unwritten(const struct osw_view *v, unsigned char pattern,
                            const struct osw_poisoned *before)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v);
    int64_t n = before->n < OSW_POISONED_MAX ? before->n : OSW_POISONED_MAX;

    for (int64_t i = 0; i < n; i++) {
        int64_t at = osw_view_offset(v->desc, before->first[i]);

        if (is_poison((const unsigned char *)v->data + at * bytes,
                      (size_t)bytes, pattern))
            return before->first[i];
    }
    return -1;
}
