/* mpi_runner/ranks/coordinator.h - rank 0: hands out bundles, takes in records
 *
 * The effectful shell around sched.h (which worker judges what), ledger.h (what
 * is recorded) and msg.h (messages).  It never runs op code.
 *
 * Upstream: cmd_run.c gives plan, transport and sink.  Downstream: the workers
 * at the other ends of the transport.
 */
#ifndef OSW_MPI_RUNNER_COORDINATOR_H
#define OSW_MPI_RUNNER_COORDINATOR_H

#include "common/error.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/ranks/coordinator_config.h"
#include "mpi_runner/ranks/ledger.h"
#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"

extern const struct osw_coordinator_config osw_coordinator_defaults;

/* Run a plan to its end, or as far as it goes: on loss of all workers or on
 * request, cells stay open.  Blocks.  Everything is borrowed.  Where out->lost
 * is not set the workers wait for osw_broadcast_end(): the caller saves
 * the results first, so that nothing is lost if MPI_Finalize hangs.
 *
 * Returns 0, or -1 with err set: the sink's errors, OSW_INTERNAL when the
 * accounting does not come out, OSW_NO_MEMORY.  *out is set in any case.
 */
int osw_coordinator_run(const struct osw_plan *plan,
                        struct osw_transport *transport,
                        const struct osw_coordinator_config *config,
                        const struct osw_sink_ops *ops, void *sink,
                        struct osw_outcome *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Exit code of an outcome (ARCHITECTURE section 6).  `fail_on`: bit s is set
 * when cells of state s count as failures.
 */
int osw_outcome_exit_code(const struct osw_outcome *outcome, uint32_t fail_on);

#endif /* OSW_MPI_RUNNER_COORDINATOR_H */
