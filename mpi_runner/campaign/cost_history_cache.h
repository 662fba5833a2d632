/* mpi_runner/campaign/cost_history_cache.h - what ops took, kept in the build
 * cache
 *
 * It only affects the order of work, so errors are logged and ignored.
 *
 * Upstream: cmd_run.c.  Downstream: cost_history.h.
 */
#ifndef OSW_MPI_RUNNER_COST_HISTORY_CACHE_H
#define OSW_MPI_RUNNER_COST_HISTORY_CACHE_H

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/cost_history.h"
#include "ops/build/build_cache.h"

/* What earlier campaigns of this machine say of ops; NULL without memory.
 * `path` becomes the file's; "": nothing is kept.
 */
osw_cost_history_t *osw_cost_history_cache_open(const struct osw_campaign *c,
                                                char path[OSW_BUILD_MAX_PATH]);

/* Save and destroy it; NULL is ignored. */
void osw_cost_history_cache_close(osw_cost_history_t *history,
                                  const char *path);

#endif /* OSW_MPI_RUNNER_COST_HISTORY_CACHE_H */
