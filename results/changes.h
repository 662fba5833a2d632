/* results/changes.h - where a series of times changes, and what it goes with
 *
 * A series is the log of one cell's median time, campaign by campaign, without
 * what all cells have in common.
 *
 * Noise.  s = 1.4826 median |x[i] - x[k]| / sqrt(2), k the last point before i
 * at its place, or just before it where places seldom come again: steps hardly
 * touch it.  Where it is less it is drawn up to the noise of such cells
 * elsewhere
 * (`prior`), which counts as 5 differences, s^2 = (n s^2 + 5 prior^2) / (n +
 * 5), and for what n differences may miss it is taken 1 + 1 / n times.
 *
 * Steps.  CUSUM with binary segmentation (E. S. Page, Biometrika 41, 1954;
 * A. J. Scott, M. Knott, Biometrics 30, 1974).  Of all places k to cut n points
 *
 *     T(k) = |mean(k..n) - mean(0..k)| / (s sqrt(1/k + 1/(n - k)))
 *
 * with points no farther than 5 s from the series' median (Huber's clipping:
 * one launch gone wrong is no step).  The largest T is a step when it exceeds
 * 4.5, and the medians of both sides differ by `least`; then each side is cut
 * likewise.  Above 5.0 it is sure.  Both sides have three points at least.  Of
 * series of pure noise, normal or with Student's tails of 3, of 5 to 100
 * points, at most 1 in 80 exceeds 4.5, and 1 in 200 5.0 (test_changes.c).
 *
 * Drift.  Where a straight line explains such a segment better than the step
 * (a smaller sum of |residuals|) it is called a drift and is not cut.
 *
 * Places.  A shift that goes with the node (or GPU) and not with the time: each
 * point of a place is held against the nearest points elsewhere before and
 * behind it, and the smaller of both differences counts, 0 when their signs
 * differ.  Their median is the place's effect when it exceeds `least` and
 * 4 s / sqrt(m), and 3 in 4 of the m points agree in sign.  So that time cannot
 * be mistaken for a place, a place needs two such points.
 *
 * Pure.  Upstream: history_follow.c.
 */
#ifndef OSW_RESULTS_CHANGES_H
#define OSW_RESULTS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OSW_CHANGES_MAX_SEGMENTS = 64,
    OSW_CHANGES_MAX_PLACES = 4, /* taken out of one series */
    OSW_CHANGES_LEAST_SIDE = 3, /* points on each side of a step */
};
#define OSW_CHANGES_SURE 5.0 /* T above it */

struct osw_changes_series {
    size_t n;
    const uint32_t *when;  /* [n] campaign, rising; may repeat */
    const uint32_t *place; /* [n] where it was measured */
    float *x;              /* [n] log of times; places are taken out of it */
    float *scratch;        /* [n] */
};

struct osw_changes_segment {
    size_t first, n; /* points */
    double level;    /* median */
    double slope;    /* of x from point to point; 0 unless it drifts */
    double t;        /* T of the step it begins with, or of its drift */
    bool drifts;
};

/* A place whose points are off by `effect`, from point `since` on. */
struct osw_changes_place {
    uint32_t place;
    double effect;
    size_t since;
};

/* Noise of one point; n_differences (NULL: not asked) is how much it rests on.
 */
double osw_changes_noise(const struct osw_changes_series *s, double prior,
                         size_t *n_differences);

/* Find places that are off, and take them out of x.  How many. */
size_t osw_changes_places(struct osw_changes_series *s, double noise,
                          double least,
                          struct osw_changes_place out[OSW_CHANGES_MAX_PLACES]);

/* Cut the series into segments, in order; n > 0.  How many. */
size_t
osw_changes_segments(const struct osw_changes_series *s, double noise,
                     double least,
                     struct osw_changes_segment out[OSW_CHANGES_MAX_SEGMENTS]);

/* Is a step at segment `at` that of one place alone?  The others' points
 * behind it are where they were.  Fills *out; the caller takes it out of x.
 */
bool osw_changes_is_place(const struct osw_changes_series *s,
                          const struct osw_changes_segment *segments, size_t at,
                          double least, struct osw_changes_place *out);
void osw_changes_take_out(struct osw_changes_series *s,
                          const struct osw_changes_place *p);

#endif /* OSW_RESULTS_CHANGES_H */
