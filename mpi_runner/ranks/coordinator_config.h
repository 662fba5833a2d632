/* mpi_runner/ranks/coordinator_config.h - what a coordinator is given, and what
 * came out
 */
#ifndef OSW_MPI_RUNNER_COORDINATOR_CONFIG_H
#define OSW_MPI_RUNNER_COORDINATOR_CONFIG_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_runner/campaign/cost_history.h"
#include "mpi_runner/ranks/ledger.h"
#include "mpi_runner/ranks/metrics.h"
#include "mpi_runner/ranks/progress.h"
#include "mpi_runner/transport/msg.h"
#include "results/journal/begun.h"

/* What earlier sessions of a resumed run left. */
struct osw_past {
    const uint8_t *states;     /* [osw_plan_n_numbers()] NONE: to be judged */
    const uint8_t *suspicions; /* [the same] enum osw_suspicion */
    bool died; /* some session did: what is begun goes to disk before it is */
};

struct osw_coordinator_config {
    struct osw_msg_campaign campaign; /* what every worker is told */
    uint32_t max_attempts;            /* dispatches of a bundle that fails */
    uint32_t max_pardons;             /* as of struct osw_sched_config */
    uint32_t max_ahead;               /* bundles at one worker */
    int64_t ahead_ns;                 /* predicted cost waiting at one worker */
    double late_times; /* as of struct osw_sched_config; 0: no second copies */
    int64_t late_ns;
    int64_t overtaken_ns; /* a worker whose cells others judged is waited for */
    int64_t start_ns;     /* a worker that takes longer to start is lost */
    int64_t hold_ns;  /* a GPU's worker waits so long for its node's others */
    int64_t drain_ns; /* time for bundles in work once asked to stop */
    /* Requests to stop so far, set by a signal handler: 1 lets workers finish
     * the bundle in work, 2 stops at once.  May be NULL.
     */
    const volatile sig_atomic_t *n_stop;
    osw_progress_t *progress;         /* may be NULL */
    osw_metrics_t *metrics;           /* may be NULL */
    osw_cost_history_t *cost_history; /* asked and added to; may be NULL */
    const struct osw_past *past;      /* NULL: a new run */
};

struct osw_outcome {
    struct osw_totals totals;
    uint64_t n_open;      /* cells without a record */
    uint64_t n_judged;    /* results that workers gave */
    uint64_t n_stale;     /* results dropped: late, or twice */
    uint64_t n_overtaken; /* likewise: another copy's came first */
    uint32_t n_lost;      /* workers lost or broken */
    uint32_t n_workers;   /* that were there, with a usable device */
    uint32_t n_unfit;     /* that were there, with an unusable one */
    uint32_t n_unsound;   /* whose device failed later */
    uint64_t n_suspect;   /* results that such a device may have spoilt */
    char unfit[600];      /* the first worker that judged nothing, and why */
    bool stopped;         /* by a signal */
    bool lost;            /* close the transport so */
    int64_t wall_ns;
};

#endif /* OSW_MPI_RUNNER_COORDINATOR_CONFIG_H */
