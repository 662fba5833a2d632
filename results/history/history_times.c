/* results/history/history_times.c - where times of cells changed */
#include <math.h>
#include <string.h>

#include "results/compare/stats.h"
#include "results/history/history_parts.h"

enum { DRIFT_ENDS = 3 /* points that say where a drift has come to */ };
/* Half of a 95 % interval, and of a difference of two: see compare_side.h on
 * where the noise of such cells comes from.
 */
#define HALF_95  1.96
#define MEDIANS  1.2533 /* their deviation over that of means: sqrt(pi / 2) */
#define FAR_OFF  4.0
#define BASELINE 3.0
/* Degrees of freedom of one launch: some go wrong. */
#define TAILS    4.0
/* Gap to all earlier points, in their range. */
#define APART    2.0

/* A series that was timed in one way. */
struct timed {
    osw_history_t *h;
    const struct osw_history_series *series;
    uint32_t pinned;   /* point of the baseline; NONE */
    size_t n;          /* of h->index, h->at, h->scratch.x: without it */
    uint32_t *index;   /* [n] points */
    const float *x;    /* [n] */
    double noise_here; /* that launches of such cells differ by */
    struct osw_history_course course;
};

static double level_of(const struct timed *t, size_t first, size_t n)
{
    memcpy(t->h->scratch.scratch, t->x + first, n * sizeof(*t->x));
    return osw_compare_side_median(t->h->scratch.scratch, n);
}

static const struct osw_changes_segment *last_of(const struct timed *t)
{
    return &t->course.segments[t->course.n_segments - 1];
}

/* Of the variance of a point, that of the mean of n that follow one another. */
static double part_of(const struct timed *t, size_t n)
{
    return osw_stats_inflation(n, t->course.noise.rho) / (double)n;
}

/* Where the series is now. */
static double now_of(const struct timed *t)
{
    const struct osw_changes_segment *last = last_of(t);
    size_t most = last->drifts ? DRIFT_ENDS : OSW_HISTORY_RECENT;
    size_t w = last->n < most ? last->n : most;

    return level_of(t, last->first + last->n - w, w);
}

/* A change between points i and k of t->index. */
static struct osw_history_finding *add(struct timed *t,
                                       enum osw_history_kind kind, size_t i,
                                       size_t k, double was, double effect,
                                       struct osw_error *err)
{
    struct osw_history_finding *f = osw_history_found(t->h, kind, err);
    const struct osw_history_place *place;

    if (!f)
        return NULL;
    f->cell = t->h->points[t->index[i]].cell;
    f->before = t->index[i];
    f->since = t->index[k];
    place = osw_history_place_of(t->h, f->since);
    f->model = place->model;
    f->effect = effect;
    f->was_ns = exp(was + (double)place->shift);
    f->now_ns = exp(was + effect + (double)place->shift);
    f->was = t->h->points[t->index[i]].status;
    f->is = t->h->points[t->index[k]].status;
    return f;
}

static int add_step(struct timed *t, const struct osw_changes_segment *seg,
                    double now, struct osw_error *err)
{
    const struct osw_changes_segment *was = seg - 1;
    double effect = seg->level - was->level;
    bool slower = effect > 0;
    double left = slower ? now - was->level : was->level - now;
    struct osw_history_finding *f;
    enum osw_history_kind kind;

    if (left <= t->course.least)
        kind = OSW_HISTORY_MENDED;
    else if (seg->p > OSW_CHANGES_SURE)
        kind = slower ? OSW_HISTORY_SLOWER : OSW_HISTORY_FASTER;
    else
        kind = slower ? OSW_HISTORY_REGRESSED : OSW_HISTORY_IMPROVED;
    f = add(t, kind, seg->first - 1, seg->first, was->level, effect, err);
    if (!f)
        return -1;
    f->n_before = (uint32_t)was->n;
    f->n_after = (uint32_t)seg->n;
    f->p = seg->p;
    f->half = HALF_95 * MEDIANS * t->course.noise.sigma *
              sqrt(part_of(t, was->n) + part_of(t, seg->n));
    return 0;
}

static int add_drift(struct timed *t, const struct osw_changes_segment *seg,
                     double now, struct osw_error *err)
{
    double effect = seg->slope * (double)(seg->n - 1);
    double was = seg->level - effect / 2;
    double left = effect > 0 ? now - was : was - now;
    struct osw_history_finding *f;
    enum osw_history_kind kind;

    if (fabs(effect) <= t->course.least)
        return 0;
    if (left <= t->course.least)
        kind = OSW_HISTORY_MENDED;
    else if (seg->p > OSW_CHANGES_SURE)
        kind = effect > 0 ? OSW_HISTORY_SLOWER : OSW_HISTORY_FASTER;
    else
        kind = effect > 0 ? OSW_HISTORY_DRIFTED : OSW_HISTORY_IMPROVED;
    f = add(t, kind, seg->first, seg->first + seg->n - 1, was, effect, err);
    if (!f)
        return -1;
    f->drifts = true;
    f->p = seg->p;
    f->n_after = (uint32_t)seg->n;
    return 0;
}

/* The first of the last points that are as far off `was` as the newest, which
 * is by d: nearer to the newest than to it.  At least one point is before it.
 */
static size_t first_off(const struct timed *t, double was, double d)
{
    size_t k = t->n - 1;

    while (k > last_of(t)->first + 1 &&
           ((double)t->x[k - 1] - was) / d > 1.0 / 2)
        k--;
    return k;
}

/* How far one point may be off n others, of which one deviates by sigma. */
static double least_off(const struct timed *t, double sigma, size_t n)
{
    return fmax(fmax(t->course.least, t->noise_here),
                FAR_OFF * sigma * sqrt(1 + part_of(t, n)));
}

static void range_of(const float *x, size_t n, double *low, double *high)
{
    *low = *high = (double)x[0];
    for (size_t i = 1; i < n; i++) {
        *low = fmin(*low, (double)x[i]);
        *high = fmax(*high, (double)x[i]);
    }
}

/* Are the points from k on far from all n_before earlier ones, by the noise
 * that is known beforehand and by how far these lie apart?  In a short series
 * one bad launch and the change are most of the differences, so its own noise
 * would hide the change.
 */
static bool is_apart(const struct timed *t, size_t k, size_t n_before)
{
    const struct osw_history_course *c = &t->course;
    double low, high, least, most;

    if (!c->is_short)
        return false;
    range_of(t->x + k - n_before, n_before, &low, &high);
    range_of(t->x + k, t->n - k, &least, &most);
    return fmax(least - high, low - most) >
           fmax(
               APART * (high - low),
               least_off(t, fmax(c->noise.prior, c->noise.measured), n_before));
}

/* The newest campaigns, too few for a step: a suspicion. */
static int judge_newest(struct timed *t, struct osw_error *err)
{
    const struct osw_changes_segment *last = last_of(t);
    const osw_history_t *h = t->h;
    size_t i = t->n - 1, k, n_before;
    uint32_t newest =
        osw_history_model_of(h, osw_history_place_of(h, t->index[i])->model)
            ->newest;
    double was, d;
    struct osw_history_finding *f;

    if (last->n < 2 || last->drifts || h->when[i] != newest)
        return 0;
    was = level_of(t, last->first, last->n - 1);
    d = (double)t->x[i] - was;
    k = first_off(t, was, d);
    n_before = k - last->first;
    if (fabs(d) <= least_off(t, t->course.noise.sigma, last->n - 1) &&
        !is_apart(t, k, n_before))
        return 0;
    was = level_of(t, last->first, n_before);
    d = level_of(t, k, t->n - k) - was;
    f = add(t, d > 0 ? OSW_HISTORY_SLOWER : OSW_HISTORY_FASTER, k - 1, k, was,
            d, err);
    if (!f)
        return -1;
    f->n_before = (uint32_t)n_before;
    f->n_after = (uint32_t)(t->n - k);
    f->half = HALF_95 * t->course.noise.sigma *
              sqrt(part_of(t, n_before) + part_of(t, t->n - k));
    return 0;
}

/* What sure steps and drifts do not explain of the difference to the baseline.
 */
static int judge_baseline(struct timed *t, double now, double told,
                          struct osw_error *err)
{
    const osw_history_t *h = t->h;
    const struct osw_changes_segment *last = last_of(t);
    size_t w = last->n < OSW_HISTORY_RECENT ? last->n : OSW_HISTORY_RECENT;
    struct osw_history_finding *f;
    enum osw_history_kind kind;
    double base, d, sure;

    if (t->pinned == OSW_HISTORY_NONE)
        return 0;
    base = (double)h->points[t->pinned].x -
           (double)osw_history_place_of(h, t->pinned)->shift;
    d = now - base;
    sure = t->course.noise.sigma * sqrt(1 + part_of(t, w));
    if (fabs(d) <= fmax(t->course.least, BASELINE * sure) ||
        fabs(d - told) <= fmax(t->course.least, BASELINE * sure) ||
        (d > 0) != (d - told > 0))
        return 0;
    kind = w < OSW_HISTORY_SURE
               ? (d > 0 ? OSW_HISTORY_SLOWER : OSW_HISTORY_FASTER)
               : (d > 0 ? OSW_HISTORY_DRIFTED : OSW_HISTORY_IMPROVED);
    f = add(t, kind, t->n - 1, t->n - 1, base, d, err);
    if (!f)
        return -1;
    f->before = t->pinned;
    f->p = 2 * osw_stats_t_tail(fabs(d) / sure, TAILS);
    f->against_baseline = true;
    f->half = HALF_95 * sure;
    f->n_before = 1;
    f->n_after = (uint32_t)w;
    return 0;
}

/* One more test of the history. */
static int add_p(osw_history_t *h, double p, struct osw_error *err)
{
    if (osw_history_grow(&h->ps, &h->size_ps, h->n_ps, sizeof(*h->ps), err) < 0)
        return -1;
    h->ps[h->n_ps++] = p;
    return 0;
}

static int judge_timed(struct timed *t, struct osw_error *err)
{
    double now = now_of(t), told = 0;
    size_t had;

    for (size_t i = 0; i < t->course.n_segments; i++) {
        const struct osw_changes_segment *seg = &t->course.segments[i];
        bool sure = seg->p <= OSW_CHANGES_SURE;

        if (i > 0) {
            told += sure ? seg->level - seg[-1].level : 0;
            if (add_step(t, seg, now, err) < 0)
                return -1;
        }
        if (seg->drifts) {
            told += sure ? seg->slope * (double)(seg->n - 1) : 0;
            if (add_drift(t, seg, now, err) < 0)
                return -1;
        }
    }
    if (judge_newest(t, err) < 0 || add_p(t->h, t->course.p, err) < 0)
        return -1;
    had = t->h->v.n_findings;
    if (judge_baseline(t, now, told, err) < 0)
        return -1;
    return t->pinned == OSW_HISTORY_NONE
               ? 0
               : add_p(t->h,
                       t->h->v.n_findings > had ? t->h->findings[had].p : 1,
                       err);
}

/* The points of h->index, as x, when and at of the scratch series. */
static void fill(struct timed *t)
{
    osw_history_t *h = t->h;

    for (size_t i = 0; i < t->n; i++) {
        const struct osw_history_point *p = &h->points[t->index[i]];

        h->at[i] = p->place;
        h->when[i] = h->places[p->place].campaign;
        h->scratch.x[i] = p->x - h->places[p->place].shift;
    }
    t->x = h->scratch.x;
}

static int follow(struct timed *t, const struct osw_changes_pairs *all,
                  struct osw_error *err)
{
    osw_history_t *h = t->h;
    struct osw_history_prior prior = {.all = *all};
    size_t n_halves = 0;

    fill(t);
    for (size_t i = 0; i < t->n; i++)
        if (!isnan(h->points[t->index[i]].half))
            h->scratch.scratch[n_halves++] = h->points[t->index[i]].half;
    if (n_halves)
        prior.measured =
            osw_compare_side_median(h->scratch.scratch, n_halves) / HALF_95;
    t->noise_here = (double)osw_compare_floor_noise(
        &osw_history_place_of(h, t->index[t->n - 1])->floor,
        exp(level_of(t, 0, t->n)));
    prior.floor = t->noise_here;
    prior.noise = t->noise_here / (HALF_95 * sqrt(2));
    return osw_history_follow(h, t->n, h->points[t->index[0]].cell, &prior,
                              &t->course, err);
}

/* Each series that was timed in one way, without a pinned point: count its
 * pairs, or judge it.
 */
static int visit_series(osw_history_t *h, const struct osw_history_series *s,
                        struct osw_changes_pairs *all, bool judge,
                        struct osw_error *err)
{
    size_t class = 0, n_pinned, n;

    while ((n = osw_history_timed(h, s, &class, &n_pinned))) {
        struct timed t = {
            .h = h,
            .series = s,
            .pinned = n_pinned ? h->index[0] : OSW_HISTORY_NONE,
            .index = h->index + n_pinned,
            .n = n - n_pinned,
        };

        if (judge)
            h->v.n_timed += n > 1;
        if (t.n == 0 || n < 2)
            continue;
        if (!judge) {
            fill(&t);
            h->scratch.n = t.n;
            (void)osw_changes_count_pairs(&h->scratch, all);
        } else if (follow(&t, all, err) < 0 || judge_timed(&t, err) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Findings that do not stand the test among all of the history are suspicions.
 */
static void hold_rate(osw_history_t *h)
{
    double most = osw_stats_bh(h->ps, h->n_ps, OSW_HISTORY_FDR);

    for (size_t i = 0; i < h->v.n_findings; i++) {
        struct osw_history_finding *f = &h->findings[i];

        if (isnan(f->p) || f->p <= fmin(most, OSW_CHANGES_SURE))
            continue;
        if (f->kind == OSW_HISTORY_REGRESSED || f->kind == OSW_HISTORY_DRIFTED)
            f->kind = OSW_HISTORY_SLOWER;
        else if (f->kind == OSW_HISTORY_IMPROVED)
            f->kind = OSW_HISTORY_FASTER;
    }
}

int osw_history_times(osw_history_t *h, struct osw_error *err)
{
    struct osw_changes_pairs all = {0};

    for (int judge = 0; judge < 2; judge++)
        for (size_t i = 0; i < h->v.n_series; i++)
            if (visit_series(h, &h->series[i], &all, judge, err) < 0)
                return -1;
    hold_rate(h);
    return 0;
}
