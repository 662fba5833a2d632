/* results/report/scores.h - scores by the definitions of BackendBench and
 * KernelBench
 *
 * Each comes with numerator and denominator.  An operator is an op with one
 * implementation, as in BackendBench; a test is a judged cell: one in group
 * pass, fail or error.  Cells that could not be judged, or that were lost, are
 * in no denominator but those called strict, which are of all planned cells.
 *
 *   correctness   operators all of whose tests pass, of operators with tests
 *   performance   geometric mean over operators with performance tests of the
 *                 geometric mean of their speedups, failed tests being 1.0
 *   perf@p        correct operators whose mean is above p, of those with
 *                 performance tests
 *   fast_p        correct cells with a speedup above p, of tests
 *
 * A performance test is a test with a speedup (report_versus.h) or, where the
 * campaign compared anything with a baseline, one that failed.  Speedups
 * against several baselines, or on several models of device, have no common
 * mean: performance is NaN then, and each of them has its own scores.  Pure.
 */
#ifndef OSW_RESULTS_SCORES_H
#define OSW_RESULTS_SCORES_H

#include <stdbool.h>
#include <stdint.h>

#include "results/report/report_summary.h"

/* 0.8, 1, 1.5, 2, 3, 5 */
extern const double osw_scores_p[OSW_SCORES_N_P];

struct osw_scores {
    uint64_t n_ops;         /* operators with tests */
    uint64_t n_ops_without; /* operators without any */
    uint64_t n_ops_correct;
    uint64_t n_ops_perf;  /* with performance tests */
    double performance;   /* NaN without any */
    uint64_t n_perf;      /* performance tests */
    uint64_t n_perf_fail; /* of those: failed, counted as 1.0 */
    uint64_t n_ops_above[OSW_SCORES_N_P];

    uint64_t n_tests, n_pass, n_planned;
    uint64_t n_cells_above[OSW_SCORES_N_P];
    uint64_t n_timed;     /* cells that passed and have a speedup */
    uint32_t n_baselines; /* that they are compared with */
};

/* Those of one baseline on one model of device; tests that failed are those
 * that were to be timed beside it.
 */
struct osw_scores_versus {
    uint32_t baseline_id, device_id;
    uint64_t n_ops_perf;
    double performance;
    uint64_t n_perf, n_perf_fail;
    uint64_t n_ops_above[OSW_SCORES_N_P];
    uint64_t n_cells_above[OSW_SCORES_N_P];
};

/* n_planned: of the file. */
void osw_scores_add_up(const struct osw_report_summary *summary,
                       uint64_t n_planned, struct osw_scores *out);

/* The scores of one of summary->headlines. */
void osw_scores_add_up_versus(const struct osw_report_summary *summary,
                              const struct osw_report_versus *headline,
                              struct osw_scores_versus *out);

/* Of one operator: tests, performance tests (any_timed: did the campaign time
 * anything), and the means of their speedups, NaN without any and with several
 * baselines.
 */
uint64_t osw_scores_tests(const struct osw_report_row *row);
uint64_t osw_scores_perf_tests(const struct osw_report_row *row,
                               bool any_timed);
double osw_scores_geomean(const struct osw_report_row *row, bool any_timed);
double osw_scores_mean(const struct osw_report_row *row, bool any_timed);

#endif /* OSW_RESULTS_SCORES_H */
