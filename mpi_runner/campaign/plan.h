/* mpi_runner/campaign/plan.h - what will be run: bundles of cells, with budgets
 *
 * Upstream: campaign, catalog, suite.  Downstream: the coordinator, which
 * dispatches bundles and records the cells that end here (skipped), so that
 * totals equal the plan; and `opsweep plan`, which prints it.
 *
 * A plan is a pure function of its inputs: same campaign, same folders, same
 * plan, on any rank.  Cells are numbered from 0 without gaps, bundle by
 * bundle; within a bundle, those that run come first.  A shard keeps the
 * numbers of the whole plan.
 */
#ifndef OSW_MPI_RUNNER_PLAN_H
#define OSW_MPI_RUNNER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "mpi_runner/campaign/campaign.h"
#include "ops/cases/suite.h"
#include "ops/catalog/op.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "worker/worker.h"

enum { OSW_PLAN_MAX_DTYPE = 5 };

/* All cells of one (op, case, fill).  A plan may have 10^8 of them: what
 * bundles have in common (texts, lists) is there once, and fields go by their
 * size.
 */
struct osw_plan_bundle {
    const struct osw_op *op; /* NULL: no op covers the case */
    const char *op_name;     /* canonical */
    const char *case_text;
    const char *fill;           /* of its tensors in order; "" without op */
    const char *baselines;      /* best first: see ops/catalog/baselines.h */
    const char *const *impls;   /* [n_cells] names; "" without op */
    const uint64_t *cell_keys;  /* [n_cells] */
    const char *const *reasons; /* [n_cells] why it is skipped; "" if it runs */
    double flops, bytes;        /* of one call; NaN: unknown */
    int64_t cost_ns;    /* predicted, of all that runs; 0: nothing does */
    int64_t balance_ns; /* the same without regard to this node's memory; shards
                           are split by it */
    int64_t expect_ns; /* cost_ns as earlier campaigns correct it, for order and
                          predictions: see cost_predict.h */
    uint64_t memory_bytes;
    uint64_t digest; /* of values that code generated; 0: none */
    uint64_t count;  /* calls in the traces */
    uint64_t first_cell;
    uint32_t n_cells; /* >= 1 */
    uint32_t n_run;   /* cells [0, n_run) run, the rest end here */
    uint32_t n_known; /* of those; earlier campaigns tell their durations */
    uint8_t check;    /* enum osw_check: FULL, FREIVALDS; NONE: nothing runs */
    bool time;        /* timings are wanted */
    uint8_t world;    /* which of the op's several; 0: it has one */
    bool broken;      /* its op's folder is wrong: reasons say why */
    char dtype[OSW_PLAN_MAX_DTYPE]; /* of the first tensor; "": there is none */
};

/* Of a plan that is a part of a campaign: see shard.h. */
struct osw_plan_shard {
    uint32_t index, n;  /* from 1, of n; n 0: the plan is the whole */
    uint64_t n_cells;   /* of the whole, */
    size_t n_bundles;   /* as are these */
    int64_t expect_ns;  /* predicted, on one worker */
    uint8_t sha256[32]; /* the same for all shards of one campaign */
};

struct osw_plan {
    size_t n_bundles;
    struct osw_plan_bundle *bundles; /* [n_bundles] by op, then case; changed by
                                        cost_predict.h and shard.h alone */
    uint64_t n_cells;
    uint64_t n_run;       /* cells that run */
    int64_t cost_ns;      /* predicted, of all bundles, on one worker */
    char digest[65];      /* SHA-256 over the whole campaign's bundles, in
                             hexadecimal */
    const char *coverage; /* how much of the suite the backend covers; "" when
                             there is nothing to say */
    const char *words;    /* lines about what the suite found; "": none */
    struct osw_plan_shard shard;
};

/* The numbers of its cells are below this: those of a shard have gaps. */
static inline uint64_t osw_plan_n_numbers(const struct osw_plan *plan)
{
    return plan->shard.n ? plan->shard.n_cells : plan->n_cells;
}

/* What a bundle takes as far as is known: a plan need not be corrected by
 * cost_predict.h.
 */
static inline int64_t osw_plan_expect_ns(const struct osw_plan_bundle *b)
{
    return b->expect_ns ? b->expect_ns : b->cost_ns;
}

/* The next bundle, from *i on, that stands for a broken folder, one of each op;
 * *i moves past it.  NULL: there is none.
 */
const struct osw_plan_bundle *osw_plan_next_broken(const struct osw_plan *plan,
                                                   size_t *i);

/* Say on standard error which ops are skipped as their folders are wrong, and
 * which have cases that will be unverified.
 */
void osw_plan_warn(const struct osw_plan *plan, const char *device);

/* Workers that judge a bundle together. */
static inline uint32_t osw_plan_world(const struct osw_plan_bundle *b)
{
    int world = b->world > 0 ? b->world : b->op ? b->op->world : 1;

    return world > 1 ? (uint32_t)world : 1;
}

/* For each of these n bundles, in order of ops, the one of the same op whose
 * case new processes see before its own, by number in the plan: that of the
 * least bytes, if these are few; the bundle itself where there is none.
 */
void osw_plan_choose_warm_ups(const struct osw_plan *plan,
                              const uint32_t *bundles, uint32_t n,
                              uint32_t *out);

/* Predicted, of one call of one implementation on a kind of device. */
int64_t osw_plan_call_ns(const struct osw_plan_bundle *b, const char *device);

/* The cells of bundle b that run, as a worker with such a device takes them
 * (attempt 1).  Borrows from the plan.  Precondition: n_run > 0.
 */
struct osw_bundle osw_plan_dispatch(const struct osw_plan_bundle *b,
                                    const char *device);

/* About how many files its cells load, each in a sandbox of its own: with the
 * reference and the baseline of each op.
 */
uint32_t osw_plan_n_files(const struct osw_plan *plan);

#endif /* OSW_MPI_RUNNER_PLAN_H */
