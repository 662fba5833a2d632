/* mpi_runner/campaign/pace_cache.h - what ops took, kept in the build cache
 *
 * It is only about time: what goes wrong is logged, and no more.
 *
 * Upstream: cmd_run.c.  Downstream: pace.h.
 */
#ifndef OSW_MPI_RUNNER_PACE_CACHE_H
#define OSW_MPI_RUNNER_PACE_CACHE_H

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/pace.h"
#include "ops/build/build_cache.h"

/* What earlier campaigns of this machine say of ops; NULL: nothing is kept.
 * `path` becomes the file's.
 */
osw_pace_t *osw_pace_cache_open(const struct osw_campaign *c,
                                char path[OSW_BUILD_MAX_PATH]);

/* Save and destroy it; NULL is ignored. */
void osw_pace_cache_close(osw_pace_t *pace, const char *path);

#endif /* OSW_MPI_RUNNER_PACE_CACHE_H */
