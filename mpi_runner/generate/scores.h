/* mpi_runner/generate/scores.h - scores of a run by the definitions of
 * KernelBench and BackendBench, each with its denominator
 *
 *   correctness  ops whose chosen kernel passes every cell of the last
 *                campaign, of all ops
 *   performance  geometric mean over ops that were timed of the chosen
 *                kernel's speedup; an op without a right kernel counts 1.0
 *   fast_p       ops with a right kernel that is more than p times as fast as
 *                the baseline, of all ops
 *   pass@k       chance that one of k attempts that start from nothing is
 *                right, in the waves: the mean over ops with k such attempts of
 *                1 - C(n - c, k) / C(n, k)
 *
 * Pure.  Upstream: summary.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_SCORES_H
#define OSW_MPI_RUNNER_GENERATE_SCORES_H

#include "mpi_runner/generate/ask/attempt.h"

enum { OSW_GENERATE_N_P = 5 };
extern const double osw_generate_p[OSW_GENERATE_N_P]; /* 0.5, 0.8, 1, 1.5, 2 */

/* One op. */
struct osw_generate_score {
    bool right;
    double speedup; /* of the chosen kernel; 0: nothing was timed */
};

struct osw_generate_scores {
    size_t n_ops, n_right;
    size_t n_perf;      /* ops that `performance` is over */
    double performance; /* NaN: n_perf is 0 */
    size_t n_above[OSW_GENERATE_N_P];
};

struct osw_generate_scores
osw_generate_scores_of(const struct osw_generate_score *ops, size_t n);

/* Of one op: attempts that start from nothing and are over, and how many of
 * them are right.
 */
void osw_generate_starts(const struct osw_attempt *attempts, size_t n,
                         uint32_t *n_starts, uint32_t *n_right);

/* 1 - C(n - c, k) / C(n, k); NaN where n < k. */
double osw_generate_pass_at(uint32_t n, uint32_t c, uint32_t k);

#endif /* OSW_MPI_RUNNER_GENERATE_SCORES_H */
