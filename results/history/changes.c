/* results/history/changes.c - where a series of times changes, and what it goes
 * with */
#include "results/history/changes.h"

#include <math.h>
#include <string.h>

#include "results/compare/compare_side.h"
#include "results/compare/stats.h"

enum {
    PRIOR_COUNTS = 5,  /* differences */
    LEAST_ALIKE = 3,   /* differences that say something of the noise */
    LEAST_LINE = 8,    /* points, to tell a line from a step */
    LEAST_AT_PLACE = 2 /* points between others */
};
#define CLIP       3.0
#define PLACE_SURE 4.0
#define MAD_SIGMA  1.4826
#define MISSED     1.0
/* PAIR_CLIP: limit of differences, in their deviations.  RHO_PRIOR: assumed
 * rho, which counts as RHO_COUNTS pairs.  The last one: weight, in pairs, of
 * all series against one series.
 */
#define PAIR_CLIP  3.0
#define RHO_PRIOR  0.3
#define RHO_COUNTS 60.0
#define RHO_OWN    30.0
#define RHO_MOST   0.8

static double median_of(const struct osw_changes_series *s, size_t first,
                        size_t n)
{
    memcpy(s->scratch, s->x + first, n * sizeof(*s->x));
    return osw_compare_side_median(s->scratch, n);
}

/* |differences| of neighbours, or of each point and the one before it at its
 * place, without `slope` a point, into scratch; how many.
 */
static size_t differences(const struct osw_changes_series *s, bool alike,
                          double slope)
{
    size_t n = 0;

    for (size_t i = 1; i < s->n; i++) {
        size_t k = i - 1;

        while (alike && k > 0 && s->place[k] != s->place[i])
            k--;
        if (!alike || s->place[k] == s->place[i])
            s->scratch[n++] =
                fabsf(s->x[i] - s->x[k] - (float)(slope * (double)(i - k)));
    }
    return n;
}

/* What a difference of neighbours is, other than noise: the mean of those that
 * are no steps.  Where the series drifts it is not 0.
 */
static double slope_of(const struct osw_changes_series *s)
{
    size_t n = differences(s, false, 0), used = 0;
    double most, sum = 0;

    if (n == 0)
        return 0;
    most = PAIR_CLIP * MAD_SIGMA * osw_compare_side_median(s->scratch, n);
    for (size_t i = 1; i < s->n; i++) {
        double d = (double)s->x[i] - (double)s->x[i - 1];

        if (fabs(d) <= most) {
            sum += d;
            used++;
        }
    }
    return used ? sum / (double)used : 0;
}

/* A deviation that rests on n values, towards `prior` where it is less. */
static double drawn_up(double own, double n, double prior)
{
    return fmax(own, sqrt((n * own * own + PRIOR_COUNTS * prior * prior) /
                          (n + PRIOR_COUNTS)));
}

double osw_changes_sigma(const struct osw_changes_series *s, double prior,
                         double rho, size_t *n_differences)
{
    double slope = slope_of(s), own;
    size_t n = differences(s, true, slope);

    if (n < LEAST_ALIKE)
        n = differences(s, false, slope);
    own = n >= LEAST_ALIKE
              ? MAD_SIGMA * osw_compare_side_median(s->scratch, n) /
                    sqrt(2 * (1 - rho))
              : 0; /* the median of two contains a step that is one of them */
    if (n_differences)
        *n_differences = n;
    if (n == 0)
        return prior;
    return drawn_up(own, (double)n, prior) * (1 + MISSED / (double)n);
}

/* --- serial correlation --- */

struct osw_changes_pairs
osw_changes_count_pairs(const struct osw_changes_series *s,
                        struct osw_changes_pairs *all)
{
    struct osw_changes_pairs own = {0};
    double most, last = 0, slope;

    if (s->n < 3)
        return own;
    slope = slope_of(s);
    most = PAIR_CLIP * MAD_SIGMA *
           osw_compare_side_median(s->scratch, differences(s, false, slope));
    for (size_t i = 1; i < s->n && most > 0; i++) {
        double d = ((double)s->x[i] - (double)s->x[i - 1] - slope) / most;

        if (fabs(d) > 1) { /* a step, or a launch gone wrong */
            last = NAN;
            continue;
        }
        own.squares += d * d;
        own.n_squares++;
        if (i > 1 && !isnan(last)) {
            own.cross += last * d;
            own.n++;
        }
        last = d;
    }
    all->cross += own.cross;
    all->squares += own.squares;
    all->n += own.n;
    all->n_squares += own.n_squares;
    return own;
}

/* Of those pairs alone; 0 when there are none. */
static double rho_of(const struct osw_changes_pairs *p)
{
    return p->n && p->squares > 0 ? 1 + 2 * p->cross / (double)p->n *
                                            (double)p->n_squares / p->squares
                                  : 0;
}

double osw_changes_rho(const struct osw_changes_pairs *all,
                       const struct osw_changes_pairs *own)
{
    double n = (double)all->n, m = (double)own->n, rho;

    rho = (n * rho_of(all) + RHO_COUNTS * RHO_PRIOR) / (n + RHO_COUNTS);
    rho = fmax(rho, (m * rho_of(own) + RHO_OWN * rho) / (m + RHO_OWN));
    return fmax(0, fmin(RHO_MOST, rho));
}

/* --- places --- */

/* How point i differs from the nearest elsewhere, before and after it: the
 * smaller one, 0 when they do not agree.  False: there is none on a side.
 */
static bool against_others(const struct osw_changes_series *s, size_t i,
                           double *d)
{
    size_t a = i, b = i;
    double before, after;

    while (a > 0 && s->place[a] == s->place[i])
        a--;
    while (b < s->n - 1 && s->place[b] == s->place[i])
        b++;
    if (s->place[a] == s->place[i] || s->place[b] == s->place[i])
        return false;
    before = (double)s->x[i] - (double)s->x[a];
    after = (double)s->x[i] - (double)s->x[b];
    if (before * after <= 0)
        *d = 0;
    else
        *d = fabs(before) < fabs(after) ? before : after;
    return true;
}

/* The effect of the place of point `at`, 0 when there is none for sure. */
static double effect_of(const struct osw_changes_series *s, size_t at,
                        double noise, double least)
{
    size_t m = 0, n_other = 0, agree = 0;
    double e;

    for (size_t i = 0; i < s->n; i++) {
        double d;

        n_other += s->place[i] != s->place[at];
        if (s->place[i] == s->place[at] && against_others(s, i, &d))
            s->scratch[m++] = (float)d;
    }
    if (m < LEAST_AT_PLACE || n_other < LEAST_AT_PLACE)
        return 0;
    e = osw_compare_side_median(s->scratch, m);
    for (size_t i = 0; i < m; i++)
        agree += e * (double)s->scratch[i] > 0;
    return 4 * agree >= 3 * m && fabs(e) > least &&
                   fabs(e) > PLACE_SURE * noise / sqrt((double)m)
               ? e
               : 0;
}

static bool came_before(const struct osw_changes_series *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (s->place[k] == s->place[i])
            return true;
    return false;
}

/* The slowest place; only when none is slow the fastest. */
static bool worst_place(const struct osw_changes_series *s, double noise,
                        double least, struct osw_changes_place *out)
{
    double most = 0, fewest = 0;
    size_t slow = 0, fast = 0;

    for (size_t i = 0; i < s->n; i++) {
        double e = came_before(s, i) ? 0 : effect_of(s, i, noise, least);

        if (e > most) {
            most = e;
            slow = i;
        } else if (e < fewest) {
            fewest = e;
            fast = i;
        }
    }
    *out = (struct osw_changes_place){
        .place = s->place[most > 0 ? slow : fast],
        .effect = most > 0 ? most : fewest,
    };
    return most > 0 || fewest < 0;
}

void osw_changes_take_out(struct osw_changes_series *s,
                          const struct osw_changes_place *p)
{
    for (size_t i = p->since; i < s->n; i++)
        if (s->place[i] == p->place)
            s->x[i] -= (float)p->effect;
}

size_t osw_changes_places(struct osw_changes_series *s, double noise,
                          double least,
                          struct osw_changes_place out[OSW_CHANGES_MAX_PLACES])
{
    size_t n = 0;

    if (s->n < 2 * LEAST_AT_PLACE)
        return 0;
    while (n < OSW_CHANGES_MAX_PLACES &&
           worst_place(s, noise, least, &out[n])) {
        osw_changes_take_out(s, &out[n]);
        n++;
    }
    return n;
}

/* --- steps --- */

struct cut {
    size_t at; /* first point after it; 0: there is none */
    double p;
};

/* Sums of the clipped points before a cut and after it; their deviation by
 * neighbouring differences, which other steps hardly touch.
 */
struct sides {
    double n[2], sum[2], squares;
    double by_differences;
};

/* By clipped differences of neighbours, of x[first ... + n - 1]. */
static double scatter_of(const struct osw_changes_series *s, size_t first,
                         size_t n, double rho)
{
    struct osw_changes_series part = {.n = n,
                                      .when = s->when + first,
                                      .place = s->place + first,
                                      .x = s->x + first,
                                      .scratch = s->scratch};
    double squares = 0, most, slope;

    if (n < 2)
        return 0;
    slope = slope_of(&part);
    most =
        PAIR_CLIP * MAD_SIGMA *
        osw_compare_side_median(s->scratch, differences(&part, false, slope));
    for (size_t i = 1; i < n; i++) {
        double d =
            fmin(most, fabs((double)part.x[i] - (double)part.x[i - 1] - slope));

        squares += d * d;
    }
    return sqrt(squares / (2 * (1 - rho) * ((double)n - 1)));
}

static double p_of(const struct sides *s, const struct osw_changes_noise *noise,
                   size_t n_places)
{
    double rho = noise->rho, all = s->n[0] + s->n[1];
    double v[2] = {osw_stats_inflation((size_t)s->n[0], rho),
                   osw_stats_inflation((size_t)s->n[1], rho)};
    double means[2] = {s->sum[0] / s->n[0], s->sum[1] / s->n[1]};
    double rest = s->squares - s->sum[0] * means[0] - s->sum[1] * means[1];
    double free = fmax(1, all - v[0] - v[1]);
    double own = fmin(sqrt(fmax(0, rest) / free), s->by_differences);
    double r = fmax(noise->measured, drawn_up(own, free, noise->prior));
    double t =
        fabs(means[1] - means[0]) / (r * sqrt(v[0] / s->n[0] + v[1] / s->n[1]));
    double df = fmax(1, free * (1 - rho * rho) / (1 + rho * rho));

    return fmin(1, 2 * (double)n_places * osw_stats_t_tail(t, df));
}

static bool is_cut(const struct osw_changes_series *s, size_t first, size_t n,
                   size_t k)
{
    return k >= OSW_CHANGES_LEAST_SIDE && n - k >= OSW_CHANGES_LEAST_SIDE &&
           s->when[first + k] != s->when[first + k - 1];
}

/* Do the points at a cut lie nearer to the mean of their own side?  Two bad
 * launches at the end and the good one before them are no side of three.
 */
static bool is_at_step(const struct sides *s, double before, double after)
{
    double low = s->sum[0] / s->n[0], high = s->sum[1] / s->n[1];

    return fabs(before - low) <= fabs(before - high) &&
           fabs(after - high) <= fabs(after - low);
}

/* Point i of x[n], n > 2, no farther than `most` beyond its nearest neighbours:
 * one bad launch has no neighbour like it, the points after a step do.
 */
static double clipped(const float *x, size_t n, size_t i, double most)
{
    double a = (double)x[i == 0 ? 2 : i - 1];
    double b = (double)x[i == n - 1 ? n - 3 : i + 1];

    return fmax(fmin(a, b) - most, fmin(fmax(a, b) + most, (double)x[i]));
}

/* The cut of x[first ... + n - 1] with the smallest p. */
static struct cut best_cut(const struct osw_changes_series *s, size_t first,
                           size_t n, const struct osw_changes_noise *noise)
{
    struct cut best = {0, 1};
    struct sides sides = {.n = {0, (double)n},
                          .by_differences =
                              scatter_of(s, first, n, noise->rho)};
    double middle = median_of(s, first, n), most = CLIP * noise->sigma;
    size_t n_places = 0;

    if (n < 2 * OSW_CHANGES_LEAST_SIDE)
        return best;
    for (size_t i = 0; i < n; i++) {
        double x = clipped(s->x + first, n, i, most) - middle;

        s->scratch[i] = (float)x;
        sides.sum[1] += x;
        sides.squares += x * x;
        n_places += is_cut(s, first, n, i);
    }
    for (size_t k = 1; k < n; k++) {
        double x = (double)s->scratch[k - 1], p;

        sides.n[0]++;
        sides.n[1]--;
        sides.sum[0] += x;
        sides.sum[1] -= x;
        if (!is_cut(s, first, n, k) ||
            !is_at_step(&sides, x, (double)s->scratch[k]))
            continue;
        p = p_of(&sides, noise, n_places);
        if (p < best.p)
            best = (struct cut){first + k, p};
    }
    return best;
}

/* Least squares. */
static void fit_line(const float *x, size_t n, double *mean, double *slope)
{
    double middle = ((double)n - 1) / 2, xy = 0, xx = 0;

    *mean = 0;
    for (size_t i = 0; i < n; i++)
        *mean += (double)x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double at = (double)i - middle;

        xy += at * ((double)x[i] - *mean);
        xx += at * at;
    }
    *slope = xx > 0 ? xy / xx : 0;
}

/* Does a line fit better than the step at `cut`?  Then its slope. */
static bool is_line(const struct osw_changes_series *s, size_t first, size_t n,
                    size_t cut, double *slope)
{
    double low, high, mean, line = 0, step = 0;

    if (n < LEAST_LINE)
        return false;
    low = median_of(s, first, cut - first);
    high = median_of(s, cut, first + n - cut);
    fit_line(s->x + first, n, &mean, slope);
    for (size_t i = 0; i < n; i++) {
        double x = (double)s->x[first + i];

        line += fabs(x - mean - *slope * ((double)i - ((double)n - 1) / 2));
        step += fabs(x - (first + i < cut ? low : high));
    }
    return line < step;
}

size_t
osw_changes_segments(const struct osw_changes_series *s,
                     const struct osw_changes_noise *noise, double least,
                     double *p_min,
                     struct osw_changes_segment out[OSW_CHANGES_MAX_SEGMENTS])
{
    size_t n = 1, at = 0;

    *p_min = 1;
    out[0] = (struct osw_changes_segment){.first = 0, .n = s->n, .p = 1};
    while (at < n) {
        struct osw_changes_segment *seg = &out[at];
        struct cut cut = best_cut(s, seg->first, seg->n, noise);
        size_t left = cut.at - seg->first;
        bool counts = cut.at && fabs(median_of(s, cut.at, seg->n - left) -
                                     median_of(s, seg->first, left)) > least;
        double slope;

        if (seg->n == s->n && counts)
            *p_min = cut.p;
        if (n == OSW_CHANGES_MAX_SEGMENTS || cut.p >= OSW_CHANGES_SEEN ||
            !counts) {
            at++;
        } else if (is_line(s, seg->first, seg->n, cut.at, &slope)) {
            seg->drifts = true;
            seg->slope = slope;
            seg->p = cut.p;
            at++;
        } else {
            memmove(&out[at + 2], &out[at + 1], (n - at - 1) * sizeof(*out));
            out[at + 1] = (struct osw_changes_segment){
                .first = cut.at, .n = seg->n - left, .p = cut.p};
            seg->n = left;
            n++;
        }
    }
    for (size_t i = 0; i < n; i++)
        out[i].level = median_of(s, out[i].first, out[i].n);
    return n;
}

/* --- a step of one place --- */

/* The median of the points of a segment at a place, or at all others. */
static bool level_at(const struct osw_changes_series *s,
                     const struct osw_changes_segment *seg, uint32_t place,
                     bool others, double *level)
{
    size_t n = 0;

    for (size_t i = seg->first; i < seg->first + seg->n; i++)
        if ((s->place[i] == place) != others)
            s->scratch[n++] = s->x[i];
    if (n < LEAST_AT_PLACE)
        return false;
    *level = osw_compare_side_median(s->scratch, n);
    return true;
}

bool osw_changes_is_place(const struct osw_changes_series *s,
                          const struct osw_changes_segment *segments, size_t at,
                          double least, struct osw_changes_place *out)
{
    const struct osw_changes_segment *seg = &segments[at];
    double was = segments[at - 1].level;

    for (size_t i = seg->first; i < seg->first + seg->n; i++) {
        double here, there, e;

        if (!level_at(s, seg, s->place[i], false, &here) ||
            !level_at(s, seg, s->place[i], true, &there))
            continue;
        e = here - was;
        if (fabs(e) > least && fabs(there - was) <= least &&
            fabs(there - was) < fabs(e) / 3) {
            *out = (struct osw_changes_place){s->place[i], e, seg->first};
            return true;
        }
    }
    return false;
}
