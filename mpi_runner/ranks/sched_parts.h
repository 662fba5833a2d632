/* mpi_runner/ranks/sched_parts.h - what a scheduler consists of
 *
 * Private to sched.c, sched_twin.c and sched_look.c.
 */
#ifndef OSW_MPI_RUNNER_SCHED_PARTS_H
#define OSW_MPI_RUNNER_SCHED_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_runner/ranks/chain.h"
#include "mpi_runner/ranks/heap.h"
#include "mpi_runner/ranks/sched_config.h"

#define NONE UINT32_MAX

enum bundle_state { QUEUED, FLYING, IDLE, GIVEN_UP };

/* As a campaign may have 10^8 of them, their size counts. */
struct bundle {
    int64_t cost_ns;
    uint32_t first; /* of its cells, in `settled` */
    uint32_t op;    /* index in ops */
    uint32_t n_cells;
    uint32_t n_open;
    uint32_t attempt; /* dispatches so far, second copies included */
    uint32_t worker;  /* that has it, or NONE; */
    uint32_t current; /* with this attempt */
    uint32_t twin;    /* worker that has a second copy, or NONE; that is the
                         newest attempt */
    uint32_t only;    /* the cell that is handed out; NONE: all that are open */
    uint16_t failures;    /* attempts that were lost or failed */
    unsigned pardons : 8; /* attempts whose worker was killed from outside */
    unsigned state : 2;   /* enum bundle_state */
    unsigned had_twin : 1;
    unsigned suspect : 1; /* its worker has nothing else */
    unsigned alone : 1;   /* ... nor has any other worker */
};

_Static_assert(sizeof(struct bundle) == 48, "a bundle takes 48 bytes");

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
    struct osw_chain hand; /* bundles, in the order of dispatch; */
    uint32_t n;            /* so many */
    int64_t cost_ns;       /* of those */
};

struct osw_sched {
    struct osw_sched_config config;
    uint32_t n_bundles, n_ops;
    struct bundle *bundles;    /* [n_bundles] */
    uint32_t *next;            /* [n_bundles] on the list that a bundle is on */
    uint32_t *order;           /* [n_bundles] by op, then cost falling */
    struct op *ops;            /* [n_ops] */
    struct worker *workers;    /* [n_workers] */
    bool *settled;             /* [cells] */
    osw_heap_t *by_head;       /* ops by their largest bundle */
    osw_heap_t *by_share;      /* ops without a worker, then the others, by cost
                                  per worker, one more included */
    struct osw_chain retry;    /* bundles that came back */
    struct osw_chain suspects; /* bundles under suspicion */
    struct osw_chain alone;    /* those that go alone, */
    bool alone_out;            /* one of which is out */
    uint32_t n_out; /* bundles in hand of all workers, second copies too */
    struct osw_chain given_up;
    uint32_t n_live, n_trusted, n_idle, n_with_two;
    uint64_t n_open;
    int64_t queued_ns; /* cost of everything not dispatched */
    double settled_ns, total_ns;
};

/* A worker has changed: is it one of those that are counted? */
void osw_sched_count(struct osw_sched *s, struct worker *w);

/* The bundle's own worker has it no more, but another one has a second copy:
 * that becomes the bundle's own.
 */
void osw_sched_hand_over(struct osw_sched *s, uint32_t bundle);

/* A second copy is no longer at its worker. */
void osw_sched_drop_twin(struct osw_sched *s, struct bundle *b);

#endif /* OSW_MPI_RUNNER_SCHED_PARTS_H */
