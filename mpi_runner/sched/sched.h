/* mpi_runner/sched/sched.h - which worker does which bundle next
 *
 * Pure: no clock, no I/O, no MPI.  The rules, in order of precedence:
 *   1. a bundle that came back goes first: a lost worker had not begun it;
 *   2. a bundle as long as every worker's share of what is left starts now,
 *      else it would delay the end of the campaign;
 *   3. a worker stays on its op while that lasts: the smallest bundle, then
 *      the largest first, so that processes see small cases before large ones;
 *   4. else it begins the op with the most work that no worker is on: a second
 *      worker on an op pays for what beginning it costs once more;
 *   5. else it joins the op with the most work per worker.
 * A busy worker gets a few bundles ahead, bounded in number and in predicted
 * cost, fewer towards the end.  Predictions can be wrong: when a worker runs
 * out of work, others give back half of what they have not begun.  A worker
 * whose device failed gets nothing more as long as there is another, until the
 * device is found sound; and what it failed at goes to another one.
 *
 * Bundles under suspicion (they may have taken a coordinator down, or a worker
 * was lost at them, at those of gangs two) come when nothing else is queued;
 * they are handed out cell by cell, each the only thing that its worker has.
 * Failures count for that cell alone then, beside those of the whole bundle
 * before.  One that would delay the end (rule 2) starts now, on a worker that
 * has nothing.  Those that go alone come last: while one is out, no other
 * worker has anything.
 *
 * At the very end, when nothing is queued and a worker is idle, a bundle that
 * takes far longer than predicted is given to a second worker, too, and after
 * it what waits next: its own worker may be slow, or stopped.  The first
 * result for a cell counts.
 *
 * A bundle of world N goes to a gang of N workers, of one node if any has so
 * many, when all of them have nothing else.  Gangs come before other bundles,
 * larger worlds first; but while others wait, gangs have at most twice their
 * share of the workers, by cost.  Those of a world come op by op, so that a
 * gang goes on in the processes that it has.  A node serves the largest world
 * that it has workers for: those that cost least to wait for get nothing more
 * until the gang is complete.  Its first member alone gives results.  A gang
 * has no second copy.  When it loses a member its attempt has failed, and the
 * others are free.
 *
 * Every dispatch has an attempt number.  What arrives for another attempt is
 * stale.  A cell is settled exactly once.
 *
 * Upstream: the plan's bundles.  Downstream: coordinator.c.
 */
#ifndef OSW_MPI_RUNNER_SCHED_H
#define OSW_MPI_RUNNER_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/sched/sched_config.h"
#include "worker/gang.h"

typedef struct osw_sched osw_sched_t;

/* What next() hands out. */
struct osw_sched_task {
    uint32_t bundle;  /* index in items */
    uint32_t attempt; /* from 1 */
};

/* A bundle and the workers that judge it together. */
struct osw_sched_gang {
    struct osw_sched_task task;
    uint32_t n;
    uint32_t workers[OSW_GANG_MAX]; /* by rank; the first one gives results */
    bool one_node;
};

enum osw_sched_verdict {
    OSW_SCHED_FRESH,     /* record it: the cell is settled now */
    OSW_SCHED_RETRY,     /* drop it: the cell will be tried elsewhere */
    OSW_SCHED_DUPLICATE, /* drop it: the cell was settled before */
    OSW_SCHED_STALE,     /* drop it: another attempt, worker or bundle */
    OSW_SCHED_OVERTAKEN, /* drop it: the other copy's result came first */
};

/* Returns a scheduler that the caller owns, with no worker ready, or NULL:
 *   OSW_BAD_INPUT  an item without cells or with too large a world, more than
 *                  2^32 - 2 items
 *   OSW_NO_MEMORY
 * Items are copied.
 */
osw_sched_t *osw_sched_create(const struct osw_sched_item *items, size_t n,
                              const struct osw_sched_config *config,
                              struct osw_error *err) OSW_MUST_CHECK;
void osw_sched_destroy(osw_sched_t *sched); /* NULL is ignored */

/* Before the first dispatch: a bundle is under suspicion; alone: it is run
 * while nothing else is.
 */
void osw_sched_suspect(osw_sched_t *sched, uint32_t bundle, bool alone);

/* Workers come, each with the number of its node (below n_workers), and go for
 * good.  What a lost worker had in hand is queued again; the bundle it was at,
 * the first with cells that have no result, counts as failed, the others do
 * not.
 */
void osw_sched_worker_ready(osw_sched_t *sched, uint32_t worker, uint32_t node);
void osw_sched_worker_lost(osw_sched_t *sched, uint32_t worker);

/* Likewise, and it is certain that it was killed from outside: up to
 * config.max_pardons times this does not count as a failure of the bundle.
 * From the second time on the bundle is under suspicion all the same: it comes
 * last, and costs the workers of no other bundle.
 */
void osw_sched_worker_killed(osw_sched_t *sched, uint32_t worker);
uint32_t osw_sched_n_live(const osw_sched_t *sched);

/* A worker's device was found sound: it is trusted again.  Returns whether it
 * was not.
 */
bool osw_sched_worker_sound(osw_sched_t *sched, uint32_t worker);

/* Is there a worker whose device failed and was not found sound since? */
bool osw_sched_has_doubted(const osw_sched_t *sched);

/* The next task for a worker; false when it has enough for now. */
bool osw_sched_next(osw_sched_t *sched, uint32_t worker,
                    struct osw_sched_task *task);

/* A gang that can begin, of which this worker may be one; false when there is
 * none.  To be asked before osw_sched_next(): it may hold the worker for a
 * gang.
 */
bool osw_sched_next_gang(osw_sched_t *sched, uint32_t worker,
                         struct osw_sched_gang *gang);

/* The gang that a worker is at; false: it is at none. */
bool osw_sched_gang_of(const osw_sched_t *sched, uint32_t worker,
                       struct osw_sched_gang *gang);

/* A gang cannot go on, for another reason than the loss of a worker: its
 * attempt has failed.  A stale task is ignored.
 */
void osw_sched_gang_failed(osw_sched_t *sched, struct osw_sched_task task);

/* Does a gang's bundle wait? */
bool osw_sched_has_gang(const osw_sched_t *sched);

/* A queued bundle whose world is larger than there are workers, of one node or
 * (across_nodes) of all; `*have` of them.  It is queued no more: the caller
 * must record and settle its open cells.  false when there is none.
 */
bool osw_sched_unmet(osw_sched_t *sched, uint32_t *bundle, uint32_t *have);

/* A result arrived for cell `k` of a task.  `infra`: the device or node
 * failed, not the op.  Of a gang it is not known which member's, so all of them
 * are trusted still; each looks at its own device.
 */
enum osw_sched_verdict osw_sched_result(osw_sched_t *sched, uint32_t worker,
                                        struct osw_sched_task task, uint32_t k,
                                        bool infra);

/* The worker has finished a task; open cells are queued again.  A stale
 * task is ignored.
 */
void osw_sched_finished(osw_sched_t *sched, uint32_t worker,
                        struct osw_sched_task task);

/* A busy worker gives back a task that it has not begun, and gets nothing more
 * until it finishes one.  A stale task is ignored.
 */
void osw_sched_returned(osw_sched_t *sched, uint32_t worker,
                        struct osw_sched_task task);

/* Does a worker have nothing to do, and another one more than it is at? */
bool osw_sched_is_uneven(const osw_sched_t *sched);

/* May a bundle wait for a worker?  Those of gangs do not count: a worker that
 * has nothing to do is none that they can have.
 */
bool osw_sched_has_queued(const osw_sched_t *sched);

/* Does another worker wait while all bundles are out, and this one is at its
 * bundle's first try?
 */
bool osw_sched_is_awaited(const osw_sched_t *sched, uint32_t worker);

/* Is a worker so late with the bundle that it has been at for elapsed_ns that
 * an idle one should judge it, or one that waits next, too?  Once a
 * bundle, and never one under suspicion.
 */
bool osw_sched_is_late(const osw_sched_t *sched, uint32_t worker,
                       int64_t elapsed_ns);

/* Is a worker there that has nothing to do? */
bool osw_sched_is_idle(const osw_sched_t *sched, uint32_t worker);

/* Give an idle worker a second copy of a late one's first bundle that has none.
 * Precondition: osw_sched_is_late().
 */
struct osw_sched_task osw_sched_twin(osw_sched_t *sched, uint32_t late,
                                     uint32_t idle);

/* Is a worker at work only for cells that all have results of the other copy
 * of their bundle?
 */
bool osw_sched_is_overtaken(const osw_sched_t *sched, uint32_t worker);

/* Tasks that a worker should give back when there is: half of those that wait
 * after the one in work, rounded up.
 */
uint32_t osw_sched_n_to_return(const osw_sched_t *sched, uint32_t worker);

/* Settle a cell from outside: known before, or out of attempts. */
void osw_sched_settle(osw_sched_t *sched, uint32_t bundle, uint32_t k);

/* A bundle that is out of attempts and has cells that are still meant, which
 * the caller must record and settle now; false when there is none.  Of one that
 * was handed out cell by cell that is the last cell; the others wait again.
 */
bool osw_sched_given_up(osw_sched_t *sched, uint32_t *bundle);

/* Cell k of a bundle has no result yet. */
bool osw_sched_is_open(const osw_sched_t *sched, uint32_t bundle, uint32_t k);

/* ... and was handed out with the bundle the last time: all are, but for
 * bundles under suspicion.
 */
bool osw_sched_is_meant(const osw_sched_t *sched, uint32_t bundle, uint32_t k);

/* Was a worker lost at it, or is it under suspicion? */
bool osw_sched_has_failed(const osw_sched_t *sched, uint32_t bundle);

uint64_t osw_sched_n_open(const osw_sched_t *sched);
uint32_t osw_sched_n_flying(const osw_sched_t *sched, uint32_t worker);

/* Bundles in hand of all workers. */
uint32_t osw_sched_n_out(const osw_sched_t *sched);

/* The bundle that the worker is at.  Precondition: it has one (n_flying > 0).
 */
uint32_t osw_sched_current(const osw_sched_t *sched, uint32_t worker);

/* Settled share of the predicted cost, 0 to 1. */
double osw_sched_progress(const osw_sched_t *sched);

#endif /* OSW_MPI_RUNNER_SCHED_H */
