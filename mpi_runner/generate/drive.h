/* mpi_runner/generate/drive.h - the loop: ask, judge what is ready, choose
 *
 * One process asks (asker.h), a campaign at a time judges all that is ready
 * (wave.h); neither waits for the other.
 *
 * Upstream: `opsweep generate`.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_DRIVE_H
#define OSW_MPI_RUNNER_GENERATE_DRIVE_H

#include "mpi_runner/generate/final.h"

/* Run to the end.  The caller frees result->ops.  Returns 0, or -1 with err
 * set: OSW_INCOMPLETE when it was stopped.
 */
int osw_drive_run(const struct osw_drive_config *config,
                  const struct osw_tasks *tasks, osw_asked_t *asked,
                  struct osw_drive_result *result,
                  struct osw_error *err) OSW_MUST_CHECK;

/* For `--dry-run`: the first prompt of an op, with nothing measured. */
int osw_drive_first_prompt(const struct osw_drive_config *config,
                           const struct osw_task *task, struct osw_text *out,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_DRIVE_H */
