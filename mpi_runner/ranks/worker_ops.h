/* mpi_runner/ranks/worker_ops.h - what judges for a worker rank, and how it may
 * end
 *
 * Upstream: worker_loop.h.  Downstream: worker/worker.h.
 */
#ifndef OSW_MPI_RUNNER_WORKER_OPS_H
#define OSW_MPI_RUNNER_WORKER_OPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "worker/worker.h"

/* What judges: worker/worker.h, or something that behaves like it. */
struct osw_worker_ops {
    /* Returns a judge, or NULL with err set; config->info is filled in as far
     * as is known.
     */
    void *(*open)(const struct osw_worker_config *config,
                  struct osw_error *err);
    void (*close)(void *judge);
    /* As osw_worker_abandon(). */
    void (*abandon)(void *judge);
    /* As osw_worker_expect(); NULL: it does not matter. */
    void (*expect)(void *judge, uint32_t n_files);
    /* As osw_worker_rest(); NULL: it is closed between campaigns. */
    void (*rest)(void *judge);
    /* As osw_worker_prove(); NULL: it always is. */
    int (*prove)(void *judge, struct osw_error *err);
    uint32_t together; /* bundles that run takes at a time, at most */
    /* As osw_worker_run(). */
    int (*run)(void *judge, const struct osw_bundle *bundles, uint32_t n,
               void (*emit)(void *arg, const struct osw_record *record),
               void *arg, struct osw_error *err);
};

extern const struct osw_worker_ops osw_judge_worker;

/* How it may end.  All zero: as the coordinator says, and never in the middle
 * of a bundle.
 */
struct osw_worker_life {
    /* Requests to stop so far that this process got, set by a signal handler.
     * After the first one nothing more is begun; when the coordinator says
     * nothing of a stop within a second, this worker alone is meant: it leaves.
     * May be NULL.
     */
    const volatile sig_atomic_t *n_stop;
    /* Ends this process at once, when the results of the bundle in work are not
     * needed any more: after the coordinator's end (why->status is OSW_OK), or
     * its silence.  The judge was abandoned.  NULL: the bundle is finished
     * first.
     */
    void (*quit)(const struct osw_error *why);
    /* How long the coordinator may be silent until its campaign says so itself;
     * 0: ten minutes.
     */
    int64_t silence_ns;
};

#endif /* OSW_MPI_RUNNER_WORKER_OPS_H */
