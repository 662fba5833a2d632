/* results/history/history_follow.c - the course of a series, and that of all
 * cells */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/history/history_parts.h"

enum {
    KNOWS_ITSELF = 7, /* differences, for a series to go by its own noise */
    MAX_ROUNDS = 4,
};
/* Of what all cells have in common; a launch differs by that much. */
#define SHIFT_NOISE 0.01
/* How far the newest campaign alone must be off. */
#define FAR_OFF     4.0

/* --- one series --- */

static void fill_where(osw_history_t *h, size_t n, bool by_uuid)
{
    for (size_t i = 0; i < n; i++) {
        const struct osw_history_place *p = &h->places[h->at[i]];

        h->where[i] = by_uuid ? p->uuid : p->host;
    }
}

/* Of a host with several GPUs in the series they can be told apart. */
static bool has_several(const osw_history_t *h, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (h->places[h->at[i]].host == h->places[h->at[k]].host &&
                h->places[h->at[i]].uuid != h->places[h->at[k]].uuid)
                return true;
    return false;
}

static int tell(osw_history_t *h, size_t n, uint32_t cell, bool by_uuid,
                const struct osw_changes_place *found, struct osw_error *err)
{
    struct osw_history_at at = {.cell = cell, .effect = found->effect};

    for (size_t i = 0; i < n; i++) {
        const struct osw_history_place *p = &h->places[h->at[i]];

        if ((by_uuid ? p->uuid : p->host) != found->place)
            continue;
        at.host = p->host;
        at.model = p->model;
        at.uuid = by_uuid ? p->uuid : OSW_HISTORY_NONE;
        break;
    }
    return osw_history_found_at(h, &at, err);
}

static int take_places(osw_history_t *h, struct osw_changes_series *s,
                       uint32_t cell, bool by_uuid,
                       const struct osw_history_course *c,
                       struct osw_error *err)
{
    struct osw_changes_place found[OSW_CHANGES_MAX_PLACES];
    size_t n;

    fill_where(h, s->n, by_uuid);
    n = osw_changes_places(s, c->noise.sigma, c->least, found);
    for (size_t i = 0; i < n; i++)
        if (tell(h, s->n, cell, by_uuid, &found[i], err) < 0)
            return -1;
    return 0;
}

/* A step that only one place made: 1, it is out of x; 0, there is none. */
static int take_step(osw_history_t *h, struct osw_changes_series *s,
                     uint32_t cell, bool by_uuid,
                     const struct osw_history_course *c, struct osw_error *err)
{
    struct osw_changes_place found;

    fill_where(h, s->n, by_uuid);
    for (size_t i = 1; i < c->n_segments; i++)
        if (osw_changes_is_place(s, c->segments, i, c->least, &found)) {
            osw_changes_take_out(s, &found);
            return tell(h, s->n, cell, by_uuid, &found, err) < 0 ? -1 : 1;
        }
    return 0;
}

int osw_history_follow(osw_history_t *h, size_t n, uint32_t cell,
                       const struct osw_history_prior *prior,
                       struct osw_history_course *out, struct osw_error *err)
{
    struct osw_changes_series s = h->scratch;
    bool several = has_several(h, n);
    size_t n_own;
    int rc = 1;

    s.n = n;
    fill_where(h, n, several);
    {
        struct osw_changes_pairs unused = {0};
        struct osw_changes_pairs own = osw_changes_count_pairs(&s, &unused);
        double rho = osw_changes_rho(&prior->all, &own);

        out->noise = (struct osw_changes_noise){
            .sigma = fmax(osw_changes_sigma(&s, prior->noise, rho, &n_own),
                          prior->measured),
            .rho = rho,
            .prior = prior->noise,
            .measured = prior->measured,
        };
    }
    out->least = log1p(h->options.threshold);
    out->is_short = n_own < KNOWS_ITSELF;
    if (out->is_short)
        out->least = fmax(out->least, prior->floor);
    if (take_places(h, &s, cell, false, out, err) < 0 ||
        (several && take_places(h, &s, cell, true, out, err) < 0))
        return -1;
    for (int i = 0; i < MAX_ROUNDS && rc == 1; i++) {
        out->n_segments = osw_changes_segments(&s, &out->noise, out->least,
                                               &out->p, out->segments);
        rc = out->n_segments > 1 ? take_step(h, &s, cell, false, out, err) : 0;
        if (rc == 0 && several && out->n_segments > 1)
            rc = take_step(h, &s, cell, true, out, err);
    }
    if (rc == 1)
        out->n_segments = osw_changes_segments(&s, &out->noise, out->least,
                                               &out->p, out->segments);
    return rc < 0 ? -1 : 0;
}

/* --- all cells together --- */

static int by_campaign(const void *a, const void *b, void *arg)
{
    const osw_history_t *h = arg;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

    if (h->places[i].campaign != h->places[k].campaign)
        return h->places[i].campaign < h->places[k].campaign ? -1 : 1;
    return (i > k) - (i < k);
}

/* Places of a model into h->at, by campaign; how many. */
static size_t gather(osw_history_t *h, uint32_t model, double *pinned)
{
    size_t n = 0, n_pinned = 0;

    for (size_t i = 0; i < h->v.n_places; i++) {
        const struct osw_history_place *p = &h->places[i];

        if (p->model != model || p->campaign == OSW_HISTORY_NONE ||
            p->n_timed < OSW_HISTORY_LEAST_SHARED)
            continue;
        if (h->campaigns[p->campaign].pinned)
            h->scratch.scratch[n_pinned++] = p->shift;
        else
            h->at[n++] = (uint32_t)i;
    }
    *pinned =
        n_pinned ? osw_compare_side_median(h->scratch.scratch, n_pinned) : NAN;
    if (n)
        qsort_r(h->at, n, sizeof(*h->at), by_campaign, h);
    for (size_t i = 0; i < n; i++) {
        h->scratch.x[i] = h->places[h->at[i]].shift;
        h->when[i] = h->places[h->at[i]].campaign;
    }
    return n;
}

/* `since` and `before` are indices of h->at. */
static int add_shift(osw_history_t *h, size_t before, size_t since,
                     double effect, bool stays, struct osw_error *err)
{
    bool worse = stays && effect > log1p(h->options.max_shift);
    struct osw_history_finding *f = osw_history_found(
        h, worse ? OSW_HISTORY_SHIFT : OSW_HISTORY_SHIFTED, err);

    if (!f)
        return -1;
    f->model = h->places[h->at[since]].model;
    f->before = h->at[before];
    f->since = h->at[since];
    f->effect = effect;
    return 0;
}

static double recent(const osw_history_t *h, size_t first, size_t n)
{
    size_t w = n < OSW_HISTORY_RECENT ? n : OSW_HISTORY_RECENT;

    memcpy(h->scratch.scratch, h->scratch.x + first + n - w,
           w * sizeof(*h->scratch.x));
    return osw_compare_side_median(h->scratch.scratch, w);
}

static int judge_model(osw_history_t *h, uint32_t model, struct osw_error *err)
{
    const struct osw_history_prior prior = {.noise = SHIFT_NOISE,
                                            .floor = 2 * SHIFT_NOISE};
    const struct osw_changes_segment *last;
    struct osw_history_course c;
    double pinned, off, now, told = 0;
    size_t n = gather(h, model, &pinned);

    if (n == 0)
        return 0;
    if (osw_history_follow(h, n, OSW_HISTORY_NONE, &prior, &c, err) < 0)
        return -1;
    last = &c.segments[c.n_segments - 1];
    now = recent(h, last->first, last->n);
    for (size_t i = 0; i < c.n_segments; i++) {
        const struct osw_changes_segment *seg = &c.segments[i];
        double effect = i ? seg->level - seg[-1].level : 0;

        told += effect;
        if (i && add_shift(h, seg->first - 1, seg->first, effect,
                           now - seg[-1].level > c.least, err) < 0)
            return -1;
        effect = seg->slope * (double)(seg->n - 1);
        if (seg->drifts && add_shift(h, seg->first, seg->first + seg->n - 1,
                                     effect, seg == last, err) < 0)
            return -1;
        told += seg->drifts ? effect : 0;
        if (seg->drifts)
            h->findings[h->v.n_findings - 1].drifts = true;
    }
    if (last->n > 2 && h->when[n - 1] != h->when[n - 2]) {
        off = (double)h->scratch.x[n - 1] - last->level;
        if (fabs(off) > fmax(c.least, FAR_OFF * c.noise.sigma) &&
            add_shift(h, n - 2, n - 1, off, true, err) < 0)
            return -1;
    } else if (n == 2 && c.n_segments == 1 && h->when[0] != h->when[1]) {
        off = (double)h->scratch.x[1] - (double)h->scratch.x[0];
        if (fabs(off) > fmax(c.least, FAR_OFF * c.noise.sigma) &&
            add_shift(h, 0, 1, off, true, err) < 0)
            return -1;
    }
    off = now - pinned;
    if (!isnan(pinned) && off - told > log1p(h->options.max_shift)) {
        if (add_shift(h, last->first, n - 1, off, true, err) < 0)
            return -1;
        h->findings[h->v.n_findings - 1].against_baseline = true;
    }
    return 0;
}

int osw_history_common(osw_history_t *h, struct osw_error *err)
{
    for (size_t i = 0; i < h->n_models; i++)
        if (judge_model(h, h->models[i].model, err) < 0)
            return -1;
    return 0;
}
