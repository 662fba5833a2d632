/* mpi_runner/commands/run_path.h - where a run's result file goes
 *
 * Upstream: cmd_run.c, cmd_submit.c, cmd_generate.c.
 */
#ifndef OSW_MPI_RUNNER_RUN_PATH_H
#define OSW_MPI_RUNNER_RUN_PATH_H

#include "common/arena.h"
#include "mpi_runner/campaign/campaign.h"

/* The result file of a campaign: that of --output, else that of OPSWEEP_OUTPUT,
 * which a batch script sets, else "opsweep-smoke-20250131T120000.h5" by the
 * date.  NULL without memory.
 */
const char *osw_run_path(osw_arena_t *memory,
                         const struct osw_campaign *c) OSW_MUST_CHECK;

/* Is there a result file that can be read and is not finished, or its journal?
 * 0, or -1 with err set, which names the option --resume: OSW_NOTHING when the
 * run is finished.
 */
int osw_run_path_resume(const char *path, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RUN_PATH_H */
