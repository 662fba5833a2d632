/* mpi_runner/generate/summary.h - what people read of a run
 *
 * README.md and OVERALL_SUMMARY.txt of its folder; per op the chosen kernel on
 * top, as BackendBench lays it out, and metadata.txt.
 *
 * Upstream: `opsweep generate`.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_SUMMARY_H
#define OSW_MPI_RUNNER_GENERATE_SUMMARY_H

#include "common/text.h"
#include "mpi_runner/generate/drive.h"

/* Append the text of OVERALL_SUMMARY.txt. */
void osw_generate_summary_add(const struct osw_drive_config *config,
                              const struct osw_tasks *tasks,
                              const osw_asked_t *asked,
                              const struct osw_drive_result *result,
                              struct osw_text *out);

/* Write all of them.  Returns 0, or -1 with err set. */
int osw_generate_summary_write(const struct osw_drive_config *config,
                               const struct osw_tasks *tasks,
                               osw_asked_t *asked,
                               const struct osw_drive_result *result,
                               struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_SUMMARY_H */
