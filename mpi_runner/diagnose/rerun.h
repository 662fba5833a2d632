/* mpi_runner/diagnose/rerun.h - one cell of a result file, judged again here
 *
 * In this process and its sandboxes, without MPI, without timing (unless the
 * cell failed while it was timed), with the op's sources as they are now.
 *
 * Upstream: `opsweep show`, `opsweep repeat`.  Downstream: plan,
 * worker/worker.h.
 */
#ifndef OSW_MPI_RUNNER_RERUN_H
#define OSW_MPI_RUNNER_RERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/notation/value.h"
#include "ops/record/record.h"
#include "results/file/file.h"
#include "worker/capture.h"

/* Everything is borrowed for the life of the osw_rerun_t. */
struct osw_rerun_job {
    const osw_file_t *file;
    const struct osw_record *record; /* the cell */
    double timeout_s;                /* least deadline; 0: the campaign's */
    osw_capture_f capture;           /* NULL: tensors are not captured */
    void *capture_arg;
};

typedef struct osw_rerun osw_rerun_t;

/* Log a warning, with both digests, where now[n], of the folders `root`, are
 * not the sources that the file records.  Files that record none, and merged
 * ones, which do not say of which run theirs are, say nothing.
 */
struct osw_run_source;
void osw_rerun_warn_sources(const osw_file_t *file,
                            const struct osw_run_source *now, size_t n,
                            const char *root);

/* Read the cell's campaign and find its op.  Runs nothing yet.  Returns what
 * the caller owns, or NULL with err set:
 *   OSW_NOTHING    the cell has no implementation
 *   OSW_BAD_INPUT  the campaign cannot be read, or its op is not here
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
osw_rerun_t *osw_rerun_create(const struct osw_rerun_job *job,
                              struct osw_error *err) OSW_MUST_CHECK;
void osw_rerun_destroy(osw_rerun_t *rerun); /* NULL is ignored */

/* The cell's case.  Borrowed. */
const struct osw_case *osw_rerun_case(const osw_rerun_t *rerun);

/* Judge the cell with another case (NULL: its own), filled alike.  *out and
 * its texts are borrowed until the next run; what the plan would skip ends as
 * skipped, with its reason.  Blocks.  Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  the case does not fit the op
 *   anything else  nothing more can be run here
 */
int osw_rerun_run(osw_rerun_t *rerun, const struct osw_case *c,
                  struct osw_record *out, struct osw_error *err) OSW_MUST_CHECK;

/* The same of the sources of the last run. */
void osw_rerun_warn(const osw_rerun_t *rerun);

/* Of the last run: canonical texts, and a deadline in seconds that is `times`
 * as long as its own.
 */
const char *osw_rerun_case_text(const osw_rerun_t *rerun);
const char *osw_rerun_fill(const osw_rerun_t *rerun);
double osw_rerun_deadline_s(const osw_rerun_t *rerun, double times);

/* The file in Python that the last run called: its implementation, or with
 * `reference` its reference.  NULL: there is none.
 */
const char *osw_rerun_python(const osw_rerun_t *rerun, bool reference);

/* What the campaign says: "cpu". */
const char *osw_rerun_device(const osw_rerun_t *rerun);

/* Append the command that runs the cell and no other, with these texts of case
 * and fill; for an op folder, the command that judges the folder.  Returns 0,
 * or -1 with err set when the campaign in the file cannot be read.
 */
int osw_rerun_command(const osw_file_t *file, const struct osw_record *record,
                      const char *case_text, const char *fill,
                      struct osw_text *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RERUN_H */
