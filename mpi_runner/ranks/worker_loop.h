/* mpi_runner/ranks/worker_loop.h - the life of a worker rank
 *
 * Says hello, makes a judge as the campaign wants it, judges bundles in the
 * order they come, sends results in batches, and leaves when told to or when
 * the coordinator fell silent.  While a bundle runs, the judge's tick keeps
 * messages and beats moving.
 *
 * Upstream: cmd_run.c.  Downstream: worker/worker.h, through a table so that
 * tests and benchmarks can judge without judging.
 */
#ifndef OSW_MPI_RUNNER_WORKER_LOOP_H
#define OSW_MPI_RUNNER_WORKER_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/transport.h"
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
    /* Ends this process at once, when nobody waits for the bundle in work any
     * more: after the coordinator's end (why->status is OSW_OK), or its
     * silence.  The judge was abandoned.  NULL: the bundle is finished first.
     */
    void (*quit)(const struct osw_error *why);
};

/* Serve rank 0 until it says end.  Blocks.  *lost: some rank was, so that the
 * transport must be closed so.  Returns 0, or -1 with err set:
 *   OSW_TIMEOUT   the coordinator fell silent
 *   OSW_PROTOCOL  it said what cannot be understood
 *   OSW_NO_MEMORY
 */
int osw_worker_loop_run(struct osw_transport *transport,
                        const struct osw_worker_ops *ops,
                        const struct osw_worker_life *life, bool *lost,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_WORKER_LOOP_H */
