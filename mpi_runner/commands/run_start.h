/* mpi_runner/commands/run_start.h - the result file of a run, begun
 *
 * Upstream: cmd_run.c.  Downstream: results/file/run.h.
 */
#ifndef OSW_MPI_RUNNER_RUN_START_H
#define OSW_MPI_RUNNER_RUN_START_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/cost_predict.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/commands/run_opts.h"
#include "mpi_runner/ranks/resume.h"
#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"
#include "results/file/run.h"

/* Where it is begun; all borrowed. */
struct osw_run_start {
    osw_arena_t *memory;
    const struct osw_args *args;
    const struct osw_transport *transport;
};

/* What workers are told of the campaign, but for what its plan and its journal
 * say.  Its texts are borrowed.  Returns 0, or -1 with err set.
 */
int osw_run_start_message(const struct osw_run_opts *opts,
                          const struct osw_transport *transport,
                          const struct osw_campaign *c,
                          struct osw_msg_campaign *out,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Where workers that outlive rank 0 say so, wherever they are: the run's
 * journal, which n_sessions have written to.
 */
int osw_run_start_session(osw_arena_t *memory, const osw_run_t *run,
                          uint32_t n_sessions, struct osw_msg_campaign *out,
                          struct osw_error *err) OSW_MUST_CHECK;

/* A new run into the result file `path`; `force`: one that is there is
 * replaced.  The caller closes it.  NULL with err set.
 */
osw_run_t *osw_run_start(const struct osw_run_start *s, const char *path,
                         bool force, const struct osw_campaign *c,
                         const struct osw_plan *plan,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Record how long the session should take.  Returns 0, or -1 with err set. */
int osw_run_start_predict(osw_run_t *run, const struct osw_cost_prediction *p,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Go on with what is there, where the plan is still the run's.  The caller
 * closes it.  NULL with err set.
 */
osw_run_t *osw_run_start_again(const struct osw_run_start *s, const char *path,
                               const struct osw_resume *past,
                               const struct osw_plan *plan,
                               struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RUN_START_H */
