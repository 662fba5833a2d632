/* mpi_runner/generate/judged.h - cells of one implementation to a verdict
 *
 * Pure.  Upstream: wave.h reads the cells.  Downstream: search.h, feedback.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_JUDGED_H
#define OSW_MPI_RUNNER_GENERATE_JUDGED_H

#include "mpi_runner/generate/ask/attempt.h"
#include "ops/record/record.h"
#include "ops/record/state.h"

/* One cell; texts are borrowed. */
struct osw_judged_cell {
    const char *case_text, *fill;
    struct osw_record record;
};

/* Cells that say nothing of the code do not count as planned: `weak` (a
 * trivial output would pass, too) and those of the group infra.
 */
struct osw_attempt_verdict
osw_judged_verdict(const struct osw_judged_cell *cells, size_t n);

/* The cell that tells most of why it is not right: of errors first what
 * concerns all cells.  NULL: all pass.
 */
const struct osw_judged_cell *
osw_judged_failure(const struct osw_judged_cell *cells, size_t n);

/* The cell that takes the longest of those that pass and are timed; NULL: none
 * is.
 */
const struct osw_judged_cell *
osw_judged_slowest(const struct osw_judged_cell *cells, size_t n);

/* Share of the speed of light; 0: unknown. */
double osw_judged_light(const struct osw_record *r);

#endif /* OSW_MPI_RUNNER_GENERATE_JUDGED_H */
