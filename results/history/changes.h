/* results/history/changes.h - where a series of times changes, and what it goes
 * with
 *
 * A series is the log of one cell's median time, campaign by campaign, without
 * what all cells have in common.
 *
 * Noise.  s = 1.4826 median |x[i] - x[k]| / sqrt(2 (1 - rho)), k the last point
 * before i at its place, or just before it where places seldom come again, and
 * without the drift from point to point: steps hardly touch it.  Where it is
 * less it is raised towards the noise of such cells elsewhere (`prior`), which
 * counts as 5 differences, s^2 = (n s^2 + 5 prior^2) / (n + 5), and for what n
 * differences may miss it is taken 1 + 1 / n times.  Of one or two differences
 * a step may be half: there s = 0 in that formula.
 *
 * Serial correlation.  Launches that follow one another are alike: their lag-1
 * correlation rho was measured as 0.12 to 0.61.  Of an autoregressive series
 * neighbouring differences d correlate by -(1 - rho) / 2, whatever steps there
 * are, so rho = 1 + 2 mean d[i] d[i + 1] / mean d[i]^2, without d above 3 of
 * their deviations.  One series says little, so that of all series is taken
 * (0.3 counts as 60 pairs), or a mean with the series' own where that is
 * larger.
 *
 * Steps.  Binary segmentation (A. J. Scott, M. Knott, Biometrics 30, 1974).  Of
 * all places k to cut n points
 *
 *     T(k) = |mean(k..n) - mean(0..k)| / (r sqrt(v(k) / k + v(n - k) / (n -
 * k)))
 *
 * with points no farther than 3 s beyond their neighbours (one launch gone
 * wrong is no step); v(m) is how many times the variance of a mean of m
 * correlated points is that of independent ones (stats.h), and r^2 their
 * scatter around both means over n - v(k) - v(n - k), or, where other steps are
 * in it, the smaller one that d gives; it is raised towards `prior` as s is,
 * and at least `measured`, the noise within campaigns.  T is held against
 * Student's t with (n - v(k) - v(n - k)) (1 - rho^2) / (1 + rho^2) degrees of
 * freedom (M. S. Bartlett, J. R. Stat. Soc. B 8, 1946), times the number of
 * places.  The smallest p is a step when it is below OSW_CHANGES_SEEN and the
 * medians of both sides differ by `least`; then each side is cut likewise. Both
 * sides have three points at least, and the points at the cut are nearer to the
 * mean of their own side.  What is called sure is decided for a whole
 * history (history.h).
 *
 * Drift.  Where a straight line explains such a segment better than the step
 * (a smaller sum of |residuals|) it is called a drift and is not cut.
 *
 * Places.  A shift that goes with the node (or GPU) and not with the time: each
 * point of a place is held against the nearest points elsewhere before and
 * after it, and the smaller of both differences counts, 0 when their signs
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
#define OSW_CHANGES_SEEN 0.01  /* p of a step, below */
#define OSW_CHANGES_SURE 0.005 /* and of one that can be sure */

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
    double p; /* of the step it begins with, or of its drift; 1: neither */
    bool drifts;
};

/* A place whose points are off by `effect`, from point `since` on. */
struct osw_changes_place {
    uint32_t place;
    double effect;
    size_t since;
};

/* Sums over pairs of neighbouring differences, of one series or of many. */
struct osw_changes_pairs {
    double cross, squares;
    size_t n, n_squares;
};
/* Add those of a series, and return its own. */
struct osw_changes_pairs
osw_changes_count_pairs(const struct osw_changes_series *s,
                        struct osw_changes_pairs *all);
/* The serial correlation to reckon with: of all series, or of one of them. */
double osw_changes_rho(const struct osw_changes_pairs *all,
                       const struct osw_changes_pairs *own);

/* The noise of a series: deviation of one point and serial correlation; and the
 * deviations that are known beforehand.
 */
struct osw_changes_noise {
    double sigma, rho;
    double prior, measured;
};

/* Noise of one point; n_differences (NULL: not asked) is how much it rests on.
 */
double osw_changes_sigma(const struct osw_changes_series *s, double prior,
                         double rho, size_t *n_differences);

/* Find places that are off, and take them out of x.  How many. */
size_t osw_changes_places(struct osw_changes_series *s, double noise,
                          double least,
                          struct osw_changes_place out[OSW_CHANGES_MAX_PLACES]);

/* Cut the series into segments, in order; n > 0.  How many.  *p_min becomes the
 * p of the best cut of the whole if it is one by `least` or more, 1 if not.
 */
size_t
osw_changes_segments(const struct osw_changes_series *s,
                     const struct osw_changes_noise *noise, double least,
                     double *p_min,
                     struct osw_changes_segment out[OSW_CHANGES_MAX_SEGMENTS]);

/* Is a step at segment `at` that of one place alone?  The others' points
 * after it are where they were.  Fills *out; the caller takes it out of x.
 */
bool osw_changes_is_place(const struct osw_changes_series *s,
                          const struct osw_changes_segment *segments, size_t at,
                          double least, struct osw_changes_place *out);
void osw_changes_take_out(struct osw_changes_series *s,
                          const struct osw_changes_place *p);

#endif /* OSW_RESULTS_CHANGES_H */
