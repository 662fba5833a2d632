/* shared/sorting_radix.h - rows in order, or their first k elements, on a
 * processor: by the digits of codes
 */
#ifndef OSW_LIBRARY_SORTING_RADIX_H
#define OSW_LIBRARY_SORTING_RADIX_H

#include "sorting_first.h"

/* Codes that a thread has room for: of whole rows, or of what is held of them
 * where few elements are kept.  Threads share rows or parts of a row.
 */
static inline int64_t osw_radix_size(const struct osw_sorting *s, int parts)
{
    int64_t k = s->values.n, held = 2 * k > parts * k ? 2 * k : parts * k;

    held += OSW_RADIX_BLOCK;
    return k == s->x.n || held > s->x.n ? s->x.n : held;
}

static inline void osw_radix_read(const struct osw_radix_job *j, int t,
                                  int64_t from, int64_t end)
{
    (void)t;
    osw_radix_codes(j->source, from, end - from, j->r->codes + from);
}

static inline void osw_radix_give(const struct osw_radix_job *j, int t,
                                  int64_t from, int64_t end)
{
    (void)t;
    osw_radix_write(j->s, j->row, j->r->words, NULL, from, end);
}

/* All elements of a row. */
static inline void osw_radix_row(const struct osw_sorting *s, int64_t row,
                                 struct osw_radix_room r)
{
    struct osw_radix_source source = osw_radix_source_of(s, row);
    struct osw_radix_job job = {s, &source, &r, row, s->x.n, 0};

    osw_radix_share(&job, osw_radix_read);
    if (source.order.bits <= 32)
        r.other = r.codes;
    osw_radix_sort(&r, s->x.n);
    osw_radix_share(&job, osw_radix_give);
}

/* The first k of a row.  Each of the threads, with a room of its own, keeps k
 * of its part; the first one's room takes all of them.
 */
static inline void osw_radix_top(const struct osw_sorting *s, int64_t row,
                                 struct osw_radix_room *rooms, int parts)
{
    struct osw_radix_source from = osw_radix_source_of(s, row);
    struct osw_radix_best best[OSW_RADIX_THREADS];
    struct osw_radix_room all = rooms[0];
    int64_t n = s->x.n, k = s->values.n;

    for (int t = 0; t < parts; t++) {
        struct osw_radix_best none = {&rooms[t], 0, k, 0, 0};

        best[t] = none;
    }
    if (parts == 1)
        osw_radix_offer(&best[0], &from, 0, n);
    else
#pragma omp parallel for num_threads(parts)
        for (int t = 0; t < parts; t++)
            osw_radix_offer(&best[t], &from, n * t / parts,
                            n * (t + 1) / parts);
    for (int t = 1; t < parts; t++) {
        memcpy(all.codes + best[0].n, rooms[t].codes, (size_t)best[t].n * 8);
        memcpy(all.places + best[0].n, rooms[t].places, (size_t)best[t].n * 4);
        best[0].n += best[t].n;
    }
    osw_radix_cut(&best[0]);
    all.threads = k < OSW_RADIX_PARALLEL ? 1 : parts;
    if (parts == 1 && k <= OSW_RADIX_FEW) /* they are in order */
        for (int64_t i = 0; i < k; i++)
            all.words[i] = (uint64_t)i;
    else
        osw_radix_sort(&all, k);
    osw_radix_write(s, row, all.words, all.places, 0, k);
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
