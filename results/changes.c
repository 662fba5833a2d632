/* results/changes.c - where a series of times changes, and what it goes with */
#include "results/changes.h"

#include <math.h>
#include <string.h>

#include "results/compare_side.h"

enum {
    PRIOR_COUNTS = 5,  /* differences */
    LEAST_ALIKE = 3,   /* differences at one place, to go by them alone */
    LEAST_LINE = 8,    /* points, to tell a line from a step */
    LEAST_AT_PLACE = 2 /* points between others */
};
#define CLIP       5.0
#define CRITICAL   4.5
#define PLACE_SURE 4.0
#define MAD_SIGMA  1.4826
#define MISSED     1.0

static double median_of(const struct osw_changes_series *s, size_t first,
                        size_t n)
{
    memcpy(s->scratch, s->x + first, n * sizeof(*s->x));
    return osw_compare_side_median(s->scratch, n);
}

/* |differences| of neighbours, or of each point and the one before it at its
 * place, into scratch; how many.
 */
static size_t differences(const struct osw_changes_series *s, bool alike)
{
    size_t n = 0;

    for (size_t i = 1; i < s->n; i++) {
        size_t k = i - 1;

        while (alike && k > 0 && s->place[k] != s->place[i])
            k--;
        if (!alike || s->place[k] == s->place[i])
            s->scratch[n++] = fabsf(s->x[i] - s->x[k]);
    }
    return n;
}

double osw_changes_noise(const struct osw_changes_series *s, double prior,
                         size_t *n_differences)
{
    size_t n = differences(s, true);
    double own;

    if (n < LEAST_ALIKE)
        n = differences(s, false);
    own = n ? MAD_SIGMA * osw_compare_side_median(s->scratch, n) / sqrt(2) : 0;
    if (n_differences)
        *n_differences = n;
    if (n == 0)
        return prior;
    own =
        fmax(own, sqrt(((double)n * own * own + PRIOR_COUNTS * prior * prior) /
                       ((double)n + PRIOR_COUNTS)));
    return own * (1 + MISSED / (double)n);
}

/* --- places --- */

/* How point i differs from the nearest elsewhere, before and behind: the
 * smaller one, 0 when they do not agree.  False: there is none on a side.
 */
static bool against_others(const struct osw_changes_series *s, size_t i,
                           double *d)
{
    size_t a = i, b = i;
    double before, behind;

    while (a > 0 && s->place[a] == s->place[i])
        a--;
    while (b < s->n - 1 && s->place[b] == s->place[i])
        b++;
    if (s->place[a] == s->place[i] || s->place[b] == s->place[i])
        return false;
    before = (double)s->x[i] - (double)s->x[a];
    behind = (double)s->x[i] - (double)s->x[b];
    if (before * behind <= 0)
        *d = 0;
    else
        *d = fabs(before) < fabs(behind) ? before : behind;
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
    size_t at; /* first point behind it */
    double t;
};

/* The cut of x[first ... + n - 1] with the largest T; at 0: there is none. */
static struct cut best_cut(const struct osw_changes_series *s, size_t first,
                           size_t n, double noise)
{
    struct cut best = {0};
    double middle = median_of(s, first, n), all = 0, left = 0;
    double most = CLIP * noise;

    for (size_t i = 0; i < n; i++)
        all += fmax(-most, fmin(most, (double)s->x[first + i] - middle));
    for (size_t k = 1; k + OSW_CHANGES_LEAST_SIDE <= n; k++) {
        double a = (double)k, b = (double)(n - k), t;

        left += fmax(-most, fmin(most, (double)s->x[first + k - 1] - middle));
        if (k < OSW_CHANGES_LEAST_SIDE ||
            s->when[first + k] == s->when[first + k - 1])
            continue;
        t = fabs((all - left) / b - left / a) / (noise * sqrt(1 / a + 1 / b));
        if (t > best.t)
            best = (struct cut){first + k, t};
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
osw_changes_segments(const struct osw_changes_series *s, double noise,
                     double least,
                     struct osw_changes_segment out[OSW_CHANGES_MAX_SEGMENTS])
{
    size_t n = 1, at = 0;

    out[0] = (struct osw_changes_segment){.first = 0, .n = s->n};
    while (at < n) {
        struct osw_changes_segment *seg = &out[at];
        struct cut cut = best_cut(s, seg->first, seg->n, noise);
        size_t left = cut.at - seg->first;
        double slope;

        if (n == OSW_CHANGES_MAX_SEGMENTS || cut.t <= CRITICAL ||
            fabs(median_of(s, cut.at, seg->n - left) -
                 median_of(s, seg->first, left)) <= least) {
            at++;
        } else if (is_line(s, seg->first, seg->n, cut.at, &slope)) {
            seg->drifts = true;
            seg->slope = slope;
            seg->t = cut.t;
            at++;
        } else {
            memmove(&out[at + 2], &out[at + 1], (n - at - 1) * sizeof(*out));
            out[at + 1] = (struct osw_changes_segment){
                .first = cut.at, .n = seg->n - left, .t = cut.t};
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
