/* mpi_runner/commands/run_summary.h - what `opsweep run` says of a run
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_RUN_SUMMARY_H
#define OSW_MPI_RUNNER_RUN_SUMMARY_H

#include "common/error.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "mpi_runner/campaign/cost_predict.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/ranks/coordinator.h"

/* Log what of the suite is judged, where that is not all of it, and with what.
 */
void osw_run_summary_coverage(const struct osw_campaign *campaign,
                              const struct osw_backend_ops *backend_ops,
                              const struct osw_plan *plan);

/* Print the last lines of a run whose file is `path`; how far off the
 * prediction was, where earlier result files had a part in it.
 */
void osw_run_summary_print(const char *path, const struct osw_outcome *o,
                           const struct osw_cost_prediction *prediction);

/* The file says that nothing is left to do: print what is in it.  The file is
 * untrusted.  `fail_on`: see osw_outcome_exit_code().  Returns the exit
 * code, or -1 with err set: OSW_BAD_INPUT when it is not complete.
 */
int osw_run_summary_finished(const char *path, uint32_t fail_on,
                             struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RUN_SUMMARY_H */
