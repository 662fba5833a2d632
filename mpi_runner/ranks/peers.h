/* mpi_runner/ranks/peers.h - the coordinator's workers: their life, work out
 *
 * coordinator.c does what depends on time (commits, heartbeats, silence,
 * stopping); this file hands work to workers that have room for more;
 * peers_receive.c handles messages.
 *
 * Upstream: coordinator.c, which fills the struct.  Downstream: sched.h,
 * ledger.h, link.h.
 */
#ifndef OSW_MPI_RUNNER_PEERS_H
#define OSW_MPI_RUNNER_PEERS_H

#include <search.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/ranks/coordinator_config.h"
#include "mpi_runner/sched/sched.h"
#include "mpi_runner/transport/link.h"
#include "mpi_runner/transport/object_table.h"

enum osw_peer_state {
    OSW_PEER_JOINING, /* has not said that it is ready */
    OSW_PEER_READY,
    OSW_PEER_LEFT,   /* judges no more, but listens */
    OSW_PEER_SUMMED, /* said its last word */
    OSW_PEER_LOST,
};

struct osw_peers_gang; /* peers_gang.c's */

/* What is looked at most often comes first. */
struct osw_peer {
    struct osw_link link;
    enum osw_peer_state state;
    int watch_fd;        /* of its process, where that is on this node; or -1 */
    char *host, *device; /* owned; NULL: not said yet */
    char *uuid;          /* owned; of its GPU; NULL: it has none */
    uint64_t *unproved; /* owned; [n_unproved] cells judged since its device was
                           last found sound */
    size_t n_unproved, size_unproved;
    uint32_t n_proofs;
    int64_t proofs_ns;           /* that they took */
    int32_t n_local;             /* workers of its node */
    uint32_t node;               /* as the scheduler calls it */
    struct osw_peers_gang *gang; /* it is a member of; or NULL */
    uint32_t gang_rank;
    int next_on_node;   /* a ring of the ranks whose host is known; 0: it is not
                         */
    int64_t ready_ns;   /* when it said that it is */
    uint64_t n_results; /* recorded */
    int64_t at_ns; /* of its last message about cells, or of the first bundle */
    int64_t began_ns; /* since when it has been at its bundle, about */
    int64_t gone_ns;  /* when it was first seen to have ended; 0: it has not */
    bool silent;      /* that is why it is lost: it may come back */
    bool recalled;    /* asked to give bundles back, has not answered */
    bool is_free;     /* waits no longer for its node's others */
    bool has_mail;    /* in to_flush */
    bool has_news;    /* in to_ack */
    struct osw_device_info info; /* once it is ready */
};

/* Ranks, each once: what is done for some of 100,000 ranks must not look at
 * all.
 */
struct osw_peers_list {
    int *ranks; /* owned; [size of the transport] */
    int n;
};

struct osw_peers {
    const struct osw_plan *plan;
    const struct osw_coordinator_config *config;
    const struct osw_sink_ops *ops;
    void *sink;
    struct osw_transport *transport;
    osw_sched_t *sched;
    osw_ledger_t *ledger;
    uint32_t *bundles;  /* by number in sched: number in the plan */
    uint32_t n_bundles; /* that run */
    uint32_t *warm_ups; /* [n_bundles] as osw_plan_choose_warm_ups() says */
    struct osw_cost_history_op *
        *histories;            /* [n_bundles] of their ops; NULL: not kept */
    struct osw_peer *peers;    /* [size], by rank; 0 is unused */
    struct hsearch_data hosts; /* by name: a rank on it */
    struct osw_peers_list to_flush; /* something is queued for them */
    struct osw_peers_list to_ack;   /* results of theirs were recorded */
    osw_object_table_t *objects;    /* compiled code on its way */
    struct osw_msg_space space;
    struct osw_outcome *out; /* n_lost, n_workers and n_stale are counted */
    struct osw_error *err;   /* set: the campaign ends */
    bool feed_all;           /* work came back, or a worker came */
    bool holding;            /* some worker waits for its node's others */
    bool stopping;           /* no more work */
    bool sending;            /* compiled code, without a pause */
    bool urgent; /* what was recorded must be on disk before more is sent */
    bool begun;  /* ... or at least out of this process */
    uint64_t gang_salt; /* of ids of gangs */
    /* coordinator.c's */
    int64_t start_ns, looked_ns;
    uint64_t n_before;      /* cells with a result when the session began, */
    double fraction_before; /* and their part of the predicted cost */
    int64_t helped_ns;      /* peers.c's, as the next one */
    int next_helper;        /* the rank - 1 that is asked next */
    int next_look;          /* the rank - 1 that is checked next, */
    int next_end;           /* and whose end is looked for next */
};

/* Did something fail that ends the campaign? */
bool osw_peers_failed(const struct osw_peers *c);

/* Queue a message for a rank; one that cannot be reached is lost. */
void osw_peers_post(struct osw_peers *c, int rank, const struct osw_msg *m);

/* Hand what is queued to the transport, as much as it takes. */
void osw_peers_flush(struct osw_peers *c, int64_t now_ns);

/* Queue compiled code for ranks that want it: a part of what there is to send,
 * so that this never takes long.  Returns whether there was some.
 */
bool osw_peers_send_objects(struct osw_peers *c);

/* Something was queued for a rank. */
void osw_peers_note_mail(struct osw_peers *c, int rank);

/* A result of a rank was recorded; and tell all those ranks how many are on
 * disk.
 */
void osw_peers_note_news(struct osw_peers *c, int rank);
void osw_peers_acknowledge(struct osw_peers *c);

/* Room for all that is kept by rank or host; and its end.  Returns 0, or -1
 * with err set (OSW_NO_MEMORY).
 */
int osw_peers_set_up(struct osw_peers *c, struct osw_error *err) OSW_MUST_CHECK;
void osw_peers_tear_down(struct osw_peers *c);

/* Give a worker as much to do as the scheduler wants it to have. */
void osw_peers_feed(struct osw_peers *c, int rank);

/* Likewise for all workers of its node, which may have waited for it. */
void osw_peers_feed_node(struct osw_peers *c, int rank);

/* A rank said on which host it is: the next ones there are its neighbours. */
void osw_peers_settle_on_node(struct osw_peers *c, int rank);

/* A case that a worker is at, with all cells of it that have no result yet. */
struct osw_peers_case {
    const char *op, *impl; /* borrowed from the plan; impl is of the first */
    uint32_t n_open;       /* cells */
    int64_t since_ns;      /* of osw_clock_ns(): its last message about cells */
};

/* How many workers are at a case, and in *longest the one that has been for the
 * longest time; untouched when there is none.
 */
uint32_t osw_peers_running(const struct osw_peers *c,
                           struct osw_peers_case *longest);

/* A rank is lost: its bundles go to others, nothing is expected of it. */
void osw_peers_lose(struct osw_peers *c, int rank, const char *why);

/* Likewise, because it sent nothing for silent_ns.  If it sends something
 * later, it gets work again.
 */
void osw_peers_lose_silent(struct osw_peers *c, int rank, int64_t silent_ns);

/* May a silent rank come back?  Workers wait longer for the coordinator. */
bool osw_peers_may_return(const struct osw_peers *c, int rank);

/* A worker will not come back: mark what it judged on a GPU since the GPU was
 * last found sound.  Results on a CPU are not marked: a CPU keeps no bad state.
 */
void osw_peers_mark_unproven(struct osw_peers *c, int rank);

/* Some worker has nothing to do: let others give back what they have not begun.
 */
void osw_peers_balance(struct osw_peers *c);

/* Nothing is queued and some worker has nothing to do: give it what another one
 * takes too long for.
 */
void osw_peers_help(struct osw_peers *c, int64_t now_ns);

/* Record an event. */
void osw_peers_tell(struct osw_peers *c, enum osw_event_kind kind, int rank,
                    int64_t value, const char *text);

/* --- what peers_receive.c and peers_gang.c need of it --- */

/* What of a task is not settled yet, as a message; its lists are in c->space.
 */
struct osw_msg osw_peers_task_message(struct osw_peers *c,
                                      struct osw_sched_task t);

/* Record what of a bundle is open in that state, for that reason; and as
 * skipped.
 */
void osw_peers_leave_out(struct osw_peers *c, struct osw_sched_task t,
                         enum osw_state state, const char *why);
void osw_peers_skip(struct osw_peers *c, struct osw_sched_task t,
                    const char *why);

/* The cells of a bundle that was queued for a rank are begun. */
void osw_peers_begin(struct osw_peers *c, int rank,
                     const struct osw_msg_bundle *m);

/* The number in sched of the worker at a rank. */
uint32_t osw_peers_worker_of(int rank);

/* The bundle with that number in sched. */
const struct osw_plan_bundle *osw_peers_bundle_of(const struct osw_peers *c,
                                                  uint32_t b);

/* Did a session of this run die?  Then BEGIN and RESULT records go to disk at
 * once, so that a later death is blamed on the right cell.
 */
bool osw_peers_is_wary(const struct osw_peers *c);

/* Cells that no worker will try again become `lost`.  While the campaign stops
 * they stay open: what ends then says nothing of them.
 */
void osw_peers_settle_given_up(struct osw_peers *c);

/* A worker judges no more: its bundles go to others. */
void osw_peers_retire(struct osw_peers *c, int rank);

/* Mark what a worker judged since its device was last found sound, and say so
 * of the device; `health` has room for it.
 */
void osw_peers_mark(struct osw_peers *c, int rank);

/* --- peers_gang.c: workers that judge a bundle together.  It sends the bundle
 * to them, passes on what they exchange, and tells them when one is gone. ---
 */

/* Send out the gangs that can begin, now that this worker has asked. */
void osw_peers_feed_gangs(struct osw_peers *c, int rank);

/* A member gives its part of an exchange, says that it cannot go on, has
 * finished, has given its bundle back, or is lost (the scheduler knows all but
 * the first two).  What is of no gang, or of an earlier one, is ignored.
 */
void osw_peers_gang_part(struct osw_peers *c, int rank,
                         const struct osw_msg_part *m);
void osw_peers_gang_broken(struct osw_peers *c, int rank,
                           const struct osw_msg_broken *m);
void osw_peers_gang_done(struct osw_peers *c, int rank,
                         struct osw_sched_task t);
void osw_peers_gang_given(struct osw_peers *c, int rank,
                          const struct osw_msg_given *m);
void osw_peers_gang_loses(struct osw_peers *c, int rank);

/* Is its gang at the first try of the bundle?  Precondition: it has one. */
bool osw_peers_gang_is_new(const struct osw_peers *c, int rank);

/* Cells of a world for which there are not workers enough, and none may come,
 * are skipped; or lost, if there once were enough.
 */
void osw_peers_skip_unmet(struct osw_peers *c);

/* Forget the gang of a rank, if it has one. */
void osw_peers_gang_free(struct osw_peers *c, int rank);

#endif /* OSW_MPI_RUNNER_PEERS_H */
