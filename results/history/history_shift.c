/* results/history/history_shift.c - what all cells of a place have in common */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare/stats.h"
#include "results/history/history_parts.h"

/* PLACE_SHARE: noise makes a place of one cell in 700 (test_changes.c), so one
 * in a hundred must be off.
 */
enum { SWEEPS = 4, PLACE_SHARE = 100 };

/* Points by place: those of place p are point[first[p] ... first[p + 1] - 1].
 */
struct polish {
    float *rest; /* [n_points] x without its cell's level; NaN: none */
    uint32_t *point, *first;
    float *scratch;
};

static void free_polish(struct polish *p)
{
    free(p->rest);
    free(p->point);
    free(p->first);
    free(p->scratch);
}

static int make_polish(const osw_history_t *h, struct polish *p,
                       struct osw_error *err)
{
    size_t n = h->v.n_points, m = h->v.n_places;

    *p = (struct polish){
        .rest = malloc(n * sizeof(*p->rest) + 1),
        .point = malloc(n * sizeof(*p->point) + 1),
        .first = calloc(m + 2, sizeof(*p->first)),
        .scratch = malloc(n * sizeof(*p->scratch) + 1),
    };
    if (!p->rest || !p->point || !p->first || !p->scratch)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
    for (size_t i = 0; i < n; i++)
        p->first[h->points[i].place + 2]++;
    for (size_t k = 2; k < m + 2; k++)
        p->first[k] += p->first[k - 1];
    for (size_t i = 0; i < n; i++)
        p->point[p->first[h->points[i].place + 1]++] = (uint32_t)i;
    return 0;
}

/* Each cell's level, and what its points are without it. */
static void take_levels(osw_history_t *h, struct polish *p)
{
    for (size_t i = 0; i < h->v.n_points; i++)
        p->rest[i] = NAN;
    for (size_t i = 0; i < h->v.n_series; i++) {
        size_t class = 0, n_pinned, n;

        while ((n = osw_history_timed(h, &h->series[i], &class, &n_pinned))) {
            double level;

            if (n < 2)
                continue;
            for (size_t k = 0; k < n; k++)
                p->scratch[k] = h->points[h->index[k]].x -
                                osw_history_place_of(h, h->index[k])->shift;
            level = osw_compare_side_median(p->scratch, n);
            for (size_t k = 0; k < n; k++)
                p->rest[h->index[k]] =
                    (float)((double)h->points[h->index[k]].x - level);
        }
    }
}

static void take_shifts(osw_history_t *h, struct polish *p)
{
    for (size_t k = 0; k < h->v.n_places; k++) {
        struct osw_history_place *place = &h->places[k];
        size_t n = 0;

        for (uint32_t i = p->first[k]; i < p->first[k + 1]; i++)
            if (!isnan(p->rest[p->point[i]]))
                p->scratch[n++] = p->rest[p->point[i]];
        place->n_timed = n;
        if (n >= OSW_HISTORY_LEAST_SHARED)
            place->shift = (float)osw_compare_side_median(p->scratch, n);
    }
}

int osw_history_shift(osw_history_t *h, struct osw_error *err)
{
    struct polish p;
    int rc = make_polish(h, &p, err);

    for (int i = 0; i < SWEEPS && rc == 0; i++) {
        take_levels(h, &p);
        take_shifts(h, &p);
    }
    free_polish(&p);
    return rc;
}

/* --- places that are off, across their cells --- */

/* Which host or GPU an entry is about, and on which model. */
static int by_place(const void *a, const void *b)
{
    const struct osw_history_at *x = a, *y = b;

    if (x->model != y->model)
        return x->model < y->model ? -1 : 1;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->uuid != y->uuid)
        return x->uuid < y->uuid ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Cells that were measured there at all. */
static uint32_t count_cells(const osw_history_t *h,
                            const struct osw_history_at *at)
{
    uint32_t n = 0, last = OSW_HISTORY_NONE;

    for (size_t i = 0; i < h->v.n_points; i++) {
        const struct osw_history_place *p =
            osw_history_place_of(h, (uint32_t)i);

        if (h->points[i].cell == last || p->model != at->model ||
            p->host != at->host ||
            (at->uuid != OSW_HISTORY_NONE && p->uuid != at->uuid))
            continue;
        last = h->points[i].cell;
        n++;
    }
    return n;
}

/* Half of the interval of their mean effect, in clusters of ops; NaN: one op.
 */
static int find_half(const osw_history_t *h, const struct osw_history_at *a,
                     size_t n, double *half, struct osw_error *err)
{
    double *sums = calloc(2 * n + 1, sizeof(*sums)), *counts = sums + n;
    uint32_t *ops = malloc(n * sizeof(*ops) + 1);
    size_t n_ops = 0;

    for (size_t i = 0; sums && ops && i < n; i++) {
        size_t k = 0;

        if (a[i].cell == OSW_HISTORY_NONE || isnan(a[i].effect))
            continue;
        while (k < n_ops && ops[k] != h->cells[a[i].cell].op)
            k++;
        if (k == n_ops)
            ops[n_ops++] = h->cells[a[i].cell].op;
        sums[k] += a[i].effect;
        counts[k]++;
    }
    if (sums && ops)
        *half = osw_stats_clustered(sums, counts, n_ops, 0.95).half;
    free(sums);
    free(ops);
    return sums && ops
               ? 0
               : osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
}

/* One finding of the entries a[n] of a place: all cells together first, then
 * the median of those that are off by themselves.
 */
static int add_place(osw_history_t *h, const struct osw_history_at *a, size_t n,
                     struct osw_error *err)
{
    uint32_t n_measured = count_cells(h, a), n_times = 0, n_failing = 0;
    float *effects = malloc(n * sizeof(*effects) + 1);
    struct osw_history_finding *f;
    double all = NAN;

    if (!effects)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
    for (size_t i = 0; i < n; i++)
        if (a[i].cell == OSW_HISTORY_NONE)
            all = a[i].effect;
        else if (isnan(a[i].effect))
            n_failing++;
        else
            effects[n_times++] = (float)a[i].effect;
    if (isnan(all) && n_failing == 0 && n_measured >= 10 &&
        (n_times < 2 || PLACE_SHARE * n_times < n_measured)) {
        free(effects);
        return 0; /* a few cells of many are no place */
    }
    f = osw_history_found(h, OSW_HISTORY_PLACE, err);
    if (f) {
        f->model = a->model;
        f->host = a->host;
        f->uuid = a->uuid;
        f->n_measured = n_measured;
        f->n_failing = n_failing;
        f->n_cells = isnan(all) ? n_times : n_measured;
        f->effect = !isnan(all) ? all
                    : n_times   ? osw_compare_side_median(effects, n_times)
                                : NAN;
    }
    free(effects);
    return f && (!isnan(all) || find_half(h, a, n, &f->half, err) == 0) ? 0
                                                                        : -1;
}

int osw_history_gather_places(osw_history_t *h, struct osw_error *err)
{
    size_t i = 0;

    if (h->n_ats)
        qsort(h->ats, h->n_ats, sizeof(*h->ats), by_place);
    while (i < h->n_ats) {
        const struct osw_history_at *a = &h->ats[i];
        size_t n = 1;

        while (i + n < h->n_ats && a[n].model == a->model &&
               a[n].host == a->host && a[n].uuid == a->uuid)
            n++;
        if (add_place(h, a, n, err) < 0)
            return -1;
        i += n;
    }
    return 0;
}
