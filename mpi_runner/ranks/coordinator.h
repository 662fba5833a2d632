/* mpi_runner/ranks/coordinator.h - rank 0: hands out bundles, takes in records
 *
 * The effectful shell around sched.h (who does what), ledger.h (what is known)
 * and msg.h (what is said).  It never runs op code.
 *
 * Upstream: cmd_run.c gives plan, transport and sink.  Downstream: the workers
 * at the other ends of the transport.
 */
#ifndef OSW_MPI_RUNNER_COORDINATOR_H
#define OSW_MPI_RUNNER_COORDINATOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/campaign/pace.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/ranks/ledger.h"
#include "mpi_runner/ranks/progress.h"
#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"

/* What is known of a run that goes on. */
struct osw_past {
    const uint8_t *states; /* [n_cells] NONE: to be judged */
    /* [n_cells] Sessions that died when the cell was begun and not ended, and
     * its worker with them: it is tried alone then, and from
     * OSW_PAST_MAX_DEATHS on it is lost.
     */
    const uint8_t *deaths;
    bool died; /* some session did: what is begun goes to disk before it is */
};

/* Once beside others, and once as the only one under suspicion. */
enum { OSW_PAST_MAX_DEATHS = 2 };

struct osw_coordinator_config {
    struct osw_msg_campaign campaign; /* what every worker is told */
    uint32_t max_attempts;            /* dispatches of a bundle that fails */
    uint32_t max_ahead;               /* bundles at one worker */
    int64_t ahead_ns;                 /* predicted cost waiting at one worker */
    int64_t start_ns; /* a worker that takes longer to start is lost */
    int64_t hold_ns;  /* a GPU's worker waits so long for its node's others */
    int64_t drain_ns; /* time for bundles in work once asked to stop */
    /* Requests to stop so far, set by a signal handler: 1 lets workers finish
     * the bundle in work, 2 waits for nobody.  May be NULL.
     */
    const volatile sig_atomic_t *n_stop;
    osw_progress_t *progress;    /* may be NULL */
    osw_pace_t *pace;            /* asked and added to; may be NULL */
    const struct osw_past *past; /* NULL: a new run */
};

extern const struct osw_coordinator_config osw_coordinator_defaults;

struct osw_outcome {
    struct osw_totals totals;
    uint64_t n_open;    /* cells without a record */
    uint64_t n_judged;  /* results that workers gave */
    uint64_t n_stale;   /* results dropped: late, or twice */
    uint32_t n_lost;    /* workers lost or broken */
    uint32_t n_workers; /* that were there, with a device that is fit */
    uint32_t n_unfit;   /* that were there, with one that is not */
    uint32_t n_unsound; /* whose device failed later */
    uint64_t n_suspect; /* results that such a device may have spoilt */
    char unfit[600];    /* the first worker that judged nothing, and why */
    bool stopped;       /* by a signal */
    bool lost;          /* close the transport so */
    int64_t wall_ns;
};

/* Run a plan to its end, or as far as it goes: on loss of all workers or on
 * request, cells stay open.  Blocks.  Everything is borrowed.  Where out->lost
 * is not set the workers wait for osw_coordinator_dismiss(): who saves what
 * there is first, loses nothing should MPI's end hang.
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

/* Tell the workers of a campaign whose plan takes long to make, before
 * osw_coordinator_run tells them again: they get ready meanwhile, and do not
 * mind the silence.
 */
void osw_coordinator_announce(struct osw_transport *transport,
                              const struct osw_msg_campaign *campaign);

/* There is nothing more to do, or never was: send the workers home. */
void osw_coordinator_dismiss(struct osw_transport *transport);

/* Exit code of an outcome (ARCHITECTURE section 6).  `fail_on`: bit g is set
 * when cells of group g (enum osw_state_group) count as failures.
 */
int osw_outcome_exit_code(const struct osw_outcome *outcome, unsigned fail_on);

#endif /* OSW_MPI_RUNNER_COORDINATOR_H */
