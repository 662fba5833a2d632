/* mpi_runner/generate/rows.h - a run as the rows of a result file
 *
 * Upstream: drive.h, summary.h.  Downstream: final.h,
 * results/file/generation.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_ROWS_H
#define OSW_MPI_RUNNER_GENERATE_ROWS_H

#include "common/arena.h"
#include "mpi_runner/generate/final.h"
#include "results/file/generation.h"

/* Make the rows, after the last campaign.  Texts are in the arena or borrowed
 * from the arguments; the rest is for osw_generation_free().  Returns 0, or -1
 * with err set.
 */
int osw_generate_rows(const struct osw_drive_config *config,
                      const struct osw_tasks *tasks, const osw_asked_t *asked,
                      const struct osw_drive_result *result, osw_arena_t *arena,
                      struct osw_generation *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* The result file of a campaign of the run's folder, with the rows, becomes
 * `to`, which is whole or as before.  Returns 0, or -1 with err set.
 */
int osw_generate_rows_write(const struct osw_drive_config *config,
                            const struct osw_tasks *tasks,
                            const osw_asked_t *asked,
                            const struct osw_drive_result *result,
                            const char *wave, const char *to,
                            struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_ROWS_H */
