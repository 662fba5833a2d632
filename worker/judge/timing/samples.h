/* worker/judge/timing/samples.h - statistics of timed samples
 *
 * Pure arithmetic over arrays of doubles; nanoseconds where times are meant.
 *
 * Intervals assume no distribution.  That of a median comes from order
 * statistics.  That of a speedup is Wilcoxon's, over quads of neighbouring
 * blocks baseline, candidate, candidate, baseline (or the reverse): in the
 * log ratio of a quad a drift of the machine that is linear over four blocks
 * cancels; for equal code it is symmetric about 0, whatever the noise, and
 * that is all the signed-rank test asks for.  It is about as narrow as
 * Student's interval on quiet machines, and several times narrower where
 * outliers occur, as its width depends on their number, not on their size.
 */
#ifndef OSW_WORKER_JUDGE_SAMPLES_H
#define OSW_WORKER_JUDGE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

struct osw_summary {
    size_t n; /* 0: everything else is NaN */
    double min, q1, median, q3, p95, max, mean;
    double mad;          /* median absolute deviation from the median */
    double ci_lo, ci_hi; /* 95 % interval of the median; NaN below 6 samples */
};

struct osw_speedup {
    size_t n_quads;
    double ratio;  /* baseline time over candidate time; NaN without quads */
    double lo, hi; /* its 95 % interval; NaN below 6 quads */
};

void osw_samples_sort(double *v, size_t n);

/* Of sorted[0..n), n >= 1: by linear interpolation, q in [0, 1]. */
double osw_samples_quantile(const double *sorted, size_t n, double q);

/* Sorts v[0..n), n >= 1. */
double osw_samples_median(double *v, size_t n);

/* Of v[0..n), n >= 1, by way of scratch memory for as many. */
double osw_samples_median_f32(const float *v, size_t n, double *scratch);

/* Ranks, from 1, of the order statistics that bound the median with a
 * probability of at least 95 %: by the binomial distribution.  False below 6
 * samples, where there are none.
 */
bool osw_samples_median_ranks(size_t n, size_t *lo, size_t *hi);

/* Sorts v[0..n) and sums it up. */
void osw_samples_summarize(double *v, size_t n, struct osw_summary *out);

/* The median and its interval anew, over rounds of two blocks: blocks[2k] and
 * blocks[2k + 1] are the medians of round k's.  Samples of one round share a
 * process, so they are not independent.  `room` is for n_rounds >= 1 values.
 */
void osw_samples_over_rounds(const double *blocks, size_t n_rounds,
                             double *room, struct osw_summary *out);

/* Times of blocks (medians of their samples, > 0) in the order taken: quad k
 * holds baseline[2k], baseline[2k + 1] and candidate[2k], candidate[2k + 1].
 * More than 64 quads are first gathered to 64 medians of neighbours, which
 * also takes out correlation over time.
 */
void osw_samples_speedup(const double *baseline, const double *candidate,
                         size_t n_quads, struct osw_speedup *out);

#endif /* OSW_WORKER_JUDGE_SAMPLES_H */
