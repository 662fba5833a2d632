/* mpi_runner/campaign/plan_load.h - campaign and folders to a plan
 *
 * Upstream: commands.  Downstream: backend_ops.h, suites, plan_make.h.
 */
#ifndef OSW_MPI_RUNNER_PLAN_LOAD_H
#define OSW_MPI_RUNNER_PLAN_LOAD_H

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/plan.h"
#include "ops/cases/suite.h"

/* What a campaign asks of its suite: which ops, traces and device.  Cases may
 * take the memory that is left, `each` bytes one.  Borrows both.
 */
struct osw_suite_request osw_plan_request(const struct osw_campaign *campaign,
                                          const struct osw_catalog *catalog,
                                          size_t each);

/* Campaign and folders to plan: scan the roots, expand the suite, decide.
 * Blocks on the file system.  *backend_ops and *plan live in the arena.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  see osw_backend_ops_load and osw_suite_expand; unknown
 *                  implementation in the filter; baseline no op has
 *   OSW_NOTHING    the filters leave no cell
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_plan_load(osw_arena_t *arena, const struct osw_campaign *campaign,
                  struct osw_backend_ops *backend_ops, struct osw_plan *plan,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_PLAN_LOAD_H */
