/* results/report/report_generation.h - what generating the kernels of a file
 * came to
 *
 * Scores are those of KernelBench and BackendBench, each with its denominator:
 *
 *   correctness  ops whose chosen kernel passes every cell of the last
 *                campaign, of all ops
 *   performance  geometric mean over ops that were timed of the chosen
 *                kernel's speedup; an op without a right kernel counts 1.0
 *   fast_p       ops with a right kernel that is more than p times as fast as
 *                the baseline, of all ops
 *   pass@k       chance that one of k attempts that start from nothing is
 *                right, before the last campaign: the mean over ops with k such
 *                attempts of 1 - C(n - c, k) / C(n, k)
 *
 * Upstream: formats of reports, `opsweep generate`.  Downstream: generation.h.
 */
#ifndef OSW_RESULTS_REPORT_GENERATION_H
#define OSW_RESULTS_REPORT_GENERATION_H

#include <stdio.h>

#include "common/json_out.h"
#include "common/text.h"
#include "results/file/generation.h"

enum { OSW_GENERATION_N_P = 5, OSW_GENERATION_N_K = 3 };
extern const double osw_generation_p[OSW_GENERATION_N_P];   /* 0.5 to 2 */
extern const uint32_t osw_generation_k[OSW_GENERATION_N_K]; /* 1, 3, 5 */

struct osw_generation_scores {
    size_t n_ops, n_right;
    size_t n_perf;        /* ops that `performance` is over */
    double performance;   /* NaN: n_perf is 0 */
    const char *baseline; /* of all ops; "several"; "": of none */
    size_t n_above[OSW_GENERATION_N_P];
    struct {
        size_t n_ops; /* that the mean is over */
        double mean;  /* NaN: there are none */
    } pass_at[OSW_GENERATION_N_K];
};

struct osw_generation_scores
osw_generation_scores_of(const struct osw_generation *g);

/* 1 - C(n - c, k) / C(n, k); NaN where n < k. */
double osw_generation_pass_at(uint32_t n, uint32_t c, uint32_t k);

/* The scores, a line each. */
void osw_generation_scores_add(const struct osw_generation *g,
                               struct osw_text *out);

/* Attempts, tokens, money and time, then the scores: a line each. */
void osw_report_generation_add(const struct osw_generation *g,
                               struct osw_text *out);

/* The same of a file, for people, at the end of the table: nothing where
 * nothing was generated.  Returns 0, or -1 with err set.
 */
int osw_report_generation_lines(const osw_file_t *file, int width, FILE *out,
                                struct osw_error *err) OSW_MUST_CHECK;

/* The same as a member "generation" of the open object. */
int osw_report_generation_json(const osw_file_t *file, struct osw_json_out *o,
                               struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPORT_GENERATION_H */
