/* mpi_runner/campaign/cost_history_file.h - what cells took, from result files
 *
 * A cell counts for campaigns of the same kind of device and profile: a sweep
 * says nothing of what checking alone takes.  Cells that were not judged, or
 * ended in group infra, say nothing.
 *
 * Upstream: `--history FILE`.  Downstream: results/file/file.h.
 */
#ifndef OSW_MPI_RUNNER_COST_HISTORY_FILE_H
#define OSW_MPI_RUNNER_COST_HISTORY_FILE_H

#include <stdbool.h>

#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/cost_history.h"

/* Add the cells of all files of the campaign's --history.  A file of another
 * profile is left out, and logged unless `quiet`.  Returns 0, or -1 with err
 * set: OSW_BAD_INPUT (no result file), OSW_NO_MEMORY.
 */
int osw_cost_history_files(osw_cost_history_t *history,
                           const struct osw_campaign *campaign, bool quiet,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_COST_HISTORY_FILE_H */
