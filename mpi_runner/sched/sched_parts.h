/* mpi_runner/sched/sched_parts.h - what a scheduler consists of
 *
 * Private to sched.c and the files sched_*.c.
 */
#ifndef OSW_MPI_RUNNER_SCHED_PARTS_H
#define OSW_MPI_RUNNER_SCHED_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_runner/sched/chain.h"
#include "mpi_runner/sched/heap.h"
#include "mpi_runner/sched/sched_config.h"
#include "worker/gang.h"

#define NONE UINT32_MAX

/* Of a cell; less: attempts that failed while it was handed out by itself. */
enum { SETTLED = UINT8_MAX };

enum bundle_state { QUEUED, FLYING, IDLE, GIVEN_UP };

struct bundle {
    uint32_t op;   /* index in ops; NONE: a gang's */
    uint32_t gang; /* index in gangs; NONE: one worker judges it */
    uint32_t n_cells;
    uint32_t n_open;
    uint32_t attempt;  /* dispatches so far, second copies included */
    uint32_t failures; /* attempts at all its cells that were lost or failed */
    uint32_t pardons;  /* attempts whose worker was killed from outside */
    uint32_t worker;   /* that has it, or NONE; */
    uint32_t current;  /* with this attempt */
    uint32_t twin;     /* worker that has a second copy, or NONE; */
    uint32_t twin_attempt;
    enum bundle_state state;
    bool had_twin;
    bool suspect;     /* its worker has nothing else */
    bool alone;       /* ... nor has any other worker */
    uint32_t unsound; /* worker whose device failed at it last; or NONE */
    uint32_t only;    /* the cell that is handed out; NONE: all that are open */
    int64_t cost_ns;
    double bytes;   /* of its case */
    uint64_t first; /* of its cells, in `cells` */
};

/* Bundles of one op never tried: order[head..end), largest first. */
struct op {
    uint32_t head, end;
    uint32_t n_workers; /* that are on it */
    int64_t cost_ns;    /* of those bundles */
};

struct worker {
    bool live;
    bool suspect;          /* its device failed */
    bool late;             /* gave tasks back: the one in work takes long */
    bool is_idle;          /* it is one of n_idle, */
    bool has_two;          /* of n_with_two */
    uint32_t op;           /* index in ops, or NONE */
    uint32_t twin;         /* bundle of which it has a second copy, or NONE */
    uint32_t gang;         /* index in gangs: it is a member, or held for it; or
                              NONE */
    bool ended;            /* it has finished its part of that gang's bundle */
    uint32_t next_member;  /* of that gang; or NONE */
    uint32_t node;         /* index in nodes; NONE: it was never ready */
    uint32_t next_on_node; /* worker; or NONE */
    struct osw_chain hand; /* bundles, in the order of dispatch; */
    uint32_t n;            /* so many */
    int64_t cost_ns;       /* of those */
};

/* The workers of a bundle that several judge together.  Those that are held
 * for it get nothing else; when all have finished what they had, it goes out.
 */
struct gang {
    uint32_t bundle, world;
    uint32_t members; /* worker, the first of n_members; or NONE */
    uint32_t n_members;
    uint32_t n_ended; /* of these, after it went */
    bool out;
};

/* Bundles of one world that were never tried: order[head..end), op by op, of an
 * op the largest first; and those that came back.
 */
struct world {
    uint32_t head, end;
    struct osw_chain retry;
    uint32_t n_workers; /* that are held for its gangs, or at them */
    double queued_ns;   /* cost of bundles not dispatched, times the world */
};

struct node {
    uint32_t workers;   /* the first; or NONE */
    uint32_t n_trusted; /* of these, live, and their devices did not fail */
    uint32_t lacks;     /* gang that is held here and lacks members; or NONE */
};

struct osw_sched {
    struct osw_sched_config config;
    uint32_t n_bundles, n_ops;
    struct bundle *bundles;    /* [n_bundles] */
    uint32_t *next;            /* [n_bundles] on the list that a bundle is on */
    uint32_t *order;           /* [n_bundles] by op, then cost falling; then
                                  those of gangs: osw_sched_key */
    struct op *ops;            /* [n_ops] */
    struct worker *workers;    /* [n_workers] */
    uint8_t *cells;            /* SETTLED, or failures */
    osw_heap_t *by_head;       /* ops by their largest bundle */
    osw_heap_t *by_share;      /* ops without a worker, then the others, by cost
                                  per worker, one more included */
    struct osw_chain retry;    /* bundles that came back */
    struct osw_chain suspects; /* bundles under suspicion */
    struct osw_chain alone;    /* those that go alone, */
    bool alone_out;            /* one of which is out */
    uint32_t n_out; /* bundles in hand of all workers, second copies too */
    struct osw_chain given_up;
    struct gang *gangs; /* [n_gangs] */
    struct node *nodes; /* [n_workers] */
    struct world worlds[OSW_GANG_MAX + 1];
    struct osw_chain gang_suspects, gang_alone; /* as suspects and alone */
    uint32_t n_gangs, n_gangs_queued;
    uint32_t n_in_gangs;   /* workers, those that are held too */
    uint32_t lacks;        /* gang across nodes that lacks members; or NONE */
    uint32_t most_on_node; /* trusted workers; UINT32_MAX: to be counted */
    double gang_ns; /* cost of gangs not dispatched, times their worlds */
    uint32_t n_live, n_trusted, n_idle, n_with_two;
    uint64_t n_open;
    int64_t queued_ns; /* cost of all else that is not dispatched */
    double settled_ns, total_ns;
};

/* A worker has changed: is it one of those that are counted? */
void osw_sched_count(struct osw_sched *s, struct worker *w);

/* A worker goes over to an op; NONE: to none. */
void osw_sched_join_op(struct osw_sched *s, struct worker *w, uint32_t op);

/* Its device failed, or it is lost: it gets nothing while others are trusted.
 */
void osw_sched_distrust(struct osw_sched *s, struct worker *w);

/* The bundle's own worker has it no more, but another one has a second copy:
 * that becomes the bundle's own.
 */
void osw_sched_hand_over(struct osw_sched *s, uint32_t bundle);

/* A second copy is no longer at its worker. */
void osw_sched_drop_twin(struct osw_sched *s, struct bundle *b);

/* A bundle is no longer at its worker, or its gang. */
void osw_sched_requeue(struct osw_sched *s, uint32_t bundle, bool failed);

/* Is what was handed out still without a result? */
bool osw_sched_lacks_result(const struct osw_sched *s, const struct bundle *b);

/* The next open cell after the last one that was handed out. */
uint32_t osw_sched_next_cell(const struct osw_sched *s, const struct bundle *b);

/* What each live worker would get of the work not handed out yet. */
double osw_sched_fair_share_ns(const struct osw_sched *s);

/* Predicted cost of a bundle's open cells. */
double osw_sched_open_ns(const struct bundle *b);

/* Workers that judge a bundle. */
uint32_t osw_sched_world(const struct osw_sched *s, const struct bundle *b);

/* May a bundle for one worker wait, other than under suspicion? */
bool osw_sched_has_single(const struct osw_sched *s);

/* --- sched_gang.c --- */

/* Bundles are handed out by group, then the largest first: groups are ops, or
 * worlds, the largest first.  Those of a world are handed out op by op, the op
 * of the largest bundle first.  Compares for qsort().
 */
struct osw_sched_key {
    uint32_t group, op, bundle; /* op: 0 where groups are ops */
    int64_t lead_ns;            /* cost of the op's largest bundle; or 0 */
    int64_t cost_ns;
};
int osw_sched_compare_keys(const void *a, const void *b);

/* Fill order, ops and the bundles' op from the items' own op numbers; -1: no
 * memory.
 */
int osw_sched_group_by_op(struct osw_sched *s,
                          const struct osw_sched_item *items);

/* Its place in both heaps, by what is left of it. */
void osw_sched_rank_op(struct osw_sched *s, uint32_t o);

/* The op of which worker w should take a bundle; NONE: nothing queued. */
uint32_t osw_sched_choose_op(const struct osw_sched *s, const struct worker *w);

/* Take a bundle of the op off its queue.  A worker begins an op with its
 * smallest one, unless the largest must not wait, or there is but one for each
 * worker: what code keeps of its first case in a process would be large enough
 * for all others, if that were the largest.
 */
uint32_t osw_sched_take_from_op(struct osw_sched *s, const struct worker *w,
                                uint32_t o);

/* Queue the bundles of gangs: those items whose world is above 1.  -1: no
 * memory.
 */
int osw_sched_fill_gangs(struct osw_sched *s,
                         const struct osw_sched_item *items);

/* Queue a gang's bundle again. */
void osw_sched_queue_gang(struct osw_sched *s, uint32_t bundle);

/* A worker is trusted again, on that node; or no longer. */
void osw_sched_node_gains(struct osw_sched *s, uint32_t worker, uint32_t node);
void osw_sched_node_loses(struct osw_sched *s, struct worker *w);

/* A member has finished its part of its gang's bundle. */
void osw_sched_end_member(struct osw_sched *s, struct worker *w);

/* A gang that is out ends: its members are free, its bundle is queued again. */
void osw_sched_break_gang(struct osw_sched *s, uint32_t gang, bool failed);

#endif /* OSW_MPI_RUNNER_SCHED_PARTS_H */
