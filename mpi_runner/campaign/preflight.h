/* mpi_runner/campaign/preflight.h - what a campaign needs of the node that
 * starts it
 *
 * A driver for its device and an interpreter for its Python files.  What is
 * missing stops a campaign before anything runs when nothing could be judged
 * without it; otherwise the rest is judged, and the end of the run says it.
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_PREFLIGHT_H
#define OSW_MPI_RUNNER_PREFLIGHT_H

#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/plan.h"

/* For ranks that all run on this node.  0, or -1 with err set: OSW_BAD_INPUT
 * when the driver is missing, or the interpreter (or the package by which the
 * backend is judged) and every cell needs it.
 */
int osw_preflight_check(const struct osw_campaign *campaign,
                        const struct osw_plan *plan,
                        struct osw_error *err) OSW_MUST_CHECK;

/* At the end of a run: log, as errors, folders that could not be read and an
 * interpreter that is not there.
 */
void osw_preflight_report(const struct osw_campaign *campaign,
                          const struct osw_plan *plan);

/* Can compilers leave objects on this node?  Whether one is needed, workers
 * see.  Returns 0, or -1 with err set, which names the folder and the cure.
 */
int osw_preflight_cache(const struct osw_plan *plan,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_PREFLIGHT_H */
