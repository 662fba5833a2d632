/* results/compare/stats.h - the statistics that comparing rests on
 *
 * Student's t.  M. Abramowitz, I. Stegun, Handbook of Mathematical Functions,
 * 1964, 26.7.1: its tail is half an incomplete beta function, which is summed
 * as a continued fraction (26.5.8).
 *
 * Means of clusters.  With n values x in G clusters (cells of an op, points of
 * a campaign) the variance of their mean m is
 *
 *     G / (G - 1) * sum over clusters of (sum of x - m)^2 / n^2
 *
 * (K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986), with G - 1 degrees of
 * freedom: what cells of a cluster have in common does not average out.
 *
 * One more value.  Of n values with mean m and deviation s the next one lies
 * within m +- t s sqrt(1 + 1 / n), t Student's with n - 1 degrees of freedom
 * (G. Hahn, W. Meeker, Statistical Intervals, 1991).
 *
 * Equivalence.  Two one-sided tests (D. J. Schuirmann, J. Pharmacokin.
 * Biopharm. 15, 1987): two values are the same when the interval of their
 * difference lies within a margin.
 *
 * Many tests.  Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57, 1995: of n
 * p-values the k smallest are findings, k the largest with p(k) <= q k / n;
 * then at most a share q of the findings is expected to be false.  The same
 * with e-values, e(k) >= n / (q k), holds whatever the tests have in common
 * (R. Wang, A. Ramdas, J. R. Stat. Soc. B 84, 2022).
 *
 * Bets.  An e-value is the capital of a player who starts with 1 and bets on a
 * coin.  Where two runs of the same code differ either way with equal
 * probability, no player can expect to win, whenever they stop (G. Shafer, J.
 * R. Stat. Soc. A 184, 2021).  No shape of the noise is assumed.
 *
 * Serial correlation.  The variance of the mean of n points of which
 * neighbours correlate by rho is 1 + 2 sum (1 - k / n) rho^k times that of
 * independent ones (G. Box, G. Jenkins, Time Series Analysis, 1970).
 *
 * Pure.  Upstream: compare.c, compare_confirm.c, history, reports.
 */
#ifndef OSW_RESULTS_STATS_H
#define OSW_RESULTS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* P(T > t), and the t that 1 - p of all are below (0 < p < 1); df > 0. */
double osw_stats_t_tail(double t, double df);
double osw_stats_t_quantile(double p, double df);

/* The mean of x[n], and the half width of its interval at `level` (0.95); half
 * is NaN below two values.
 */
struct osw_stats_mean {
    double mean, half;
};
struct osw_stats_mean osw_stats_mean(const float *x, size_t n, double level);

/* Half the width of the interval around the mean of x[n], n > 1, that holds one
 * more value at `level`, where their deviation is no less than `least`.
 */
double osw_stats_next(const float *x, size_t n, double least, double level);

/* The mean of values in clusters: their sums and numbers, [n].  Below two
 * clusters half is NaN; empty clusters do not count.
 */
struct osw_stats_mean osw_stats_clustered(const double *sums,
                                          const double *counts, size_t n,
                                          double level);

/* Is |difference| < margin?  half: of its 90 % interval for a test at 5 %. */
bool osw_stats_same(double difference, double half, double margin);

/* q k / n: p-values up to it are findings; 0: none is.  Sorts p[n]. */
double osw_stats_bh(double *p, size_t n, double q);
/* The least e-value that is a finding, INFINITY: none is.  Sorts e[n]. */
double osw_stats_ebh(double *e, size_t n, double q);

/* The capital after one more bet, and the bets that must be won in a row for
 * `wanted`.
 */
double osw_stats_bet(double capital, bool won);
unsigned osw_stats_bets_for(double wanted);

/* How many times the variance of a mean of n is that of independent points. */
double osw_stats_inflation(size_t n, double rho);

#endif /* OSW_RESULTS_STATS_H */
