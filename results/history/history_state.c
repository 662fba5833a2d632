/* results/history/history_state.c - where verdicts changed, and cells that are
 * gone */
#include <math.h>

#include "results/history/history.h"
#include "results/history/history_parts.h"

enum {
    FLAKY = 3,   /* changes between pass and not, to be called so */
    SETTLED = 3, /* campaigns with one verdict, to be believed again */
    AT_PLACE = 2 /* failures at a place, and passes elsewhere */
};

static bool passes(const osw_history_t *h, size_t point)
{
    return osw_compare_side_passes(h->points[point].status);
}

/* Points up to i, of its series, that ended as it did: in one state, or at
 * least both passed or both did not.
 */
static size_t count_before(const osw_history_t *h, size_t i, bool one_state)
{
    uint32_t model = osw_history_place_of(h, (uint32_t)i)->model;
    size_t k = i;

    while (k > 0 && h->points[k - 1].cell == h->points[i].cell &&
           osw_history_place_of(h, (uint32_t)k - 1)->model == model &&
           (one_state ? h->points[k - 1].status == h->points[i].status
                      : passes(h, k - 1) == passes(h, i)))
        k--;
    return i - k + 1;
}

/* A change of verdict between points i and k. */
static int add(osw_history_t *h, enum osw_history_kind kind, size_t i, size_t k,
               size_t n_after, struct osw_error *err)
{
    struct osw_history_finding *f = osw_history_found(h, kind, err);

    if (!f)
        return -1;
    f->cell = h->points[i].cell;
    f->model = osw_history_place_of(h, (uint32_t)i)->model;
    f->before = (uint32_t)i;
    f->since = (uint32_t)k;
    f->was = h->points[i].status;
    f->is = h->points[k].status;
    f->n_before = (uint32_t)count_before(h, i, kind == OSW_HISTORY_CHANGED);
    f->n_after = (uint32_t)n_after;
    f->against_baseline = osw_history_pinned(h, i);
    return 0;
}

/* Does it fail at one place alone: twice and more there, never elsewhere, where
 * it passed twice and also after the first failure?
 */
static bool is_place(const osw_history_t *h, size_t first, size_t n,
                     bool by_uuid, struct osw_history_at *at)
{
    size_t n_fail = 0, n_pass = 0, n_after = 0;
    uint32_t where = OSW_HISTORY_NONE;

    for (size_t i = first; i < first + n; i++) {
        const struct osw_history_place *p =
            osw_history_place_of(h, (uint32_t)i);
        uint32_t here = by_uuid ? p->uuid : p->host;

        if (passes(h, i)) {
            n_pass += here != where;
            n_after += n_fail > 0 && here != where;
            continue;
        }
        if (n_fail && here != where)
            return false;
        where = here;
        n_fail++;
        *at = (struct osw_history_at){
            .host = p->host,
            .uuid = by_uuid ? p->uuid : OSW_HISTORY_NONE,
            .model = p->model,
            .cell = h->points[i].cell,
            .effect = NAN,
        };
    }
    return n_fail >= AT_PLACE && n_pass >= AT_PLACE && n_after >= 1;
}

/* The newest points with one verdict: their first one. */
static size_t first_alike(const osw_history_t *h, size_t first, size_t n)
{
    size_t i = first + n - 1;

    while (i > first && passes(h, i - 1) == passes(h, i))
        i--;
    return i;
}

static size_t count_changes(const osw_history_t *h, size_t first, size_t n)
{
    size_t changes = 0;

    for (size_t i = first + 1; i < first + n; i++)
        changes += passes(h, i) != passes(h, i - 1);
    return changes;
}

/* Of failures alone: since when they are as they are. */
static int judge_failing(osw_history_t *h, size_t first, size_t n,
                         struct osw_error *err)
{
    size_t end = first + n, i = end - 1;

    while (i > first && h->points[i - 1].status == h->points[i].status)
        i--;
    if (passes(h, i) || i == first || passes(h, i - 1))
        return 0;
    return add(h, OSW_HISTORY_CHANGED, i - 1, i, end - i, err);
}

static int judge_verdicts(osw_history_t *h, size_t first, size_t n,
                          struct osw_error *err)
{
    size_t changes = count_changes(h, first, n);
    size_t alike = first_alike(h, first, n), end = first + n;
    struct osw_history_at at;

    if (changes == 0 || alike == first)
        return judge_failing(h, first, n, err);
    if (is_place(h, first, n, false, &at) || is_place(h, first, n, true, &at))
        return osw_history_found_at(h, &at, err);
    if (changes >= FLAKY && end - alike < SETTLED)
        return add(h, OSW_HISTORY_FLAKY, alike - 1, alike, end - alike, err);
    return add(h,
               passes(h, alike) ? OSW_HISTORY_NEWLY_PASSING
                                : OSW_HISTORY_NEWLY_FAILING,
               alike - 1, alike, end - alike, err);
}

/* Was it judged in that campaign?  Its point, or the end of the series. */
static size_t find_point(const osw_history_t *h,
                         const struct osw_history_series *s, uint32_t campaign)
{
    size_t i = s->first;

    while (i < s->first + s->n &&
           osw_history_place_of(h, (uint32_t)i)->campaign != campaign)
        i++;
    return i;
}

bool osw_history_judged_in(const osw_history_t *h, uint32_t point,
                           uint32_t campaign)
{
    uint32_t cell = h->points[point].cell;
    size_t i = point;

    while (i > 0 && h->points[i - 1].cell == cell)
        i--;
    for (; i < h->v.n_points && h->points[i].cell == cell; i++)
        if (osw_history_place_of(h, (uint32_t)i)->campaign == campaign)
            return true;
    return false;
}

/* Is a series the first of its cell on a model of the newest campaign? */
static bool counts(const osw_history_t *h, const struct osw_history_series *s)
{
    const struct osw_history_series *t = s;

    while (t > h->series &&
           h->points[t[-1].first].cell == h->points[s->first].cell) {
        const struct osw_history_model *m;

        t--;
        m = osw_history_model_of(
            h, osw_history_place_of(h, (uint32_t)t->first)->model);
        if (m->newest + 1 == h->v.n_campaigns &&
            m->before != OSW_HISTORY_NONE &&
            find_point(h, t, m->before) < t->first + t->n)
            return false;
    }
    return true;
}

static bool is_broken(const osw_history_t *h, uint32_t cell, uint32_t campaign)
{
    for (size_t i = 0; i < h->n_broken; i++)
        if (h->broken[i].key == h->cells[cell].key &&
            h->broken[i].path == h->campaigns[campaign].path)
            return true;
    return false;
}

static int judge_presence(osw_history_t *h, const struct osw_history_series *s,
                          struct osw_error *err)
{
    const struct osw_history_model *m = osw_history_model_of(
        h, osw_history_place_of(h, (uint32_t)s->first)->model);
    size_t end = s->first + s->n, was;
    bool is;

    if (m->before == OSW_HISTORY_NONE || m->newest == OSW_HISTORY_NONE)
        return 0;
    was = find_point(h, s, m->before);
    is = osw_history_judged_in(h, (uint32_t)s->first, m->newest);
    if (was < end && !is && is_broken(h, h->points[s->first].cell, m->newest))
        return 0;
    if (m->newest + 1 == h->v.n_campaigns && counts(h, s)) {
        h->v.n_judged += was < end;
        h->v.n_common += was < end && is;
    }
    if (was == end || is || !h->campaigns[m->newest].complete)
        return 0;
    if (add(h, OSW_HISTORY_GONE, was, end - 1, 0, err) < 0)
        return -1;
    h->findings[h->v.n_findings - 1].is = 0;
    return 0;
}

/* Models of device are never joined: say so where there are several. */
static int note_models(osw_history_t *h, struct osw_error *err)
{
    for (size_t i = 0; i < h->n_models; i++) {
        const struct osw_history_model *m = &h->models[i];
        const char *name = osw_history_word(h, m->model);

        if (m->newest == OSW_HISTORY_NONE)
            continue;
        if (m->newest + 1 < h->v.n_campaigns &&
            osw_history_note(
                h, err, "'%s': a series of its own, newest campaign '%s'", name,
                osw_history_word(h, h->campaigns[m->newest].path)) < 0)
            return -1;
        if (m->newest + 1 == h->v.n_campaigns &&
            m->before == OSW_HISTORY_NONE &&
            osw_history_note(
                h, err,
                "'%s': only the newest campaign ran on it, nothing "
                "to compare",
                name) < 0)
            return -1;
    }
    return 0;
}

int osw_history_states(osw_history_t *h, struct osw_error *err)
{
    h->v.complete =
        h->v.n_campaigns > 0 && h->campaigns[h->v.n_campaigns - 1].complete;
    for (size_t i = 0; i < h->v.n_series; i++) {
        const struct osw_history_series *s = &h->series[i];

        if (judge_verdicts(h, s->first, s->n, err) < 0 ||
            judge_presence(h, s, err) < 0)
            return -1;
    }
    return note_models(h, err);
}
