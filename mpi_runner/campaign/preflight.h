/* mpi_runner/campaign/preflight.h - what a campaign needs of the node that
 * starts it
 *
 * A driver for its device and an interpreter for its Python files.  What is
 * named and does not run stops a campaign before anything else does; what is
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
 * when the driver is missing, as by osw_preflight_python(), or when the package
 * by which the backend is judged is missing and every cell needs it.
 */
int osw_preflight_check(const struct osw_campaign *campaign,
                        const struct osw_plan *plan,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Where Python files are planned: does the interpreter run on this node?
 * Blocks: it is started once.  Returns 0, or -1 with err set (OSW_BAD_INPUT, it
 * names the program) when it does not and was named, or every cell needs it.
 */
int osw_preflight_python(const struct osw_campaign *campaign,
                         const struct osw_plan *plan,
                         struct osw_error *err) OSW_MUST_CHECK;

/* For a campaign on other nodes: is the interpreter that was named a program?
 * Where this machine does not have its folder either, a warning is logged.
 * Returns 0, or -1 with err set to OSW_BAD_INPUT.
 */
int osw_preflight_python_there(const struct osw_campaign *campaign,
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
