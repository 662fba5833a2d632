/* mpi_runner/campaign/planner.h - a plan being made
 *
 * Private to plan_make.c, plan_impls.c, plan_check.c.
 */
#ifndef OSW_MPI_RUNNER_PLANNER_H
#define OSW_MPI_RUNNER_PLANNER_H

#include "mpi_runner/campaign/cost.h"
#include "mpi_runner/campaign/plan.h"
#include "ops/inputs/bind.h"

/* The implementations of an op that are wanted. */
struct osw_plan_impls {
    const struct osw_op *op;
    const struct osw_op_file **at; /* [n] */
    size_t n;
    const char *baselines; /* of the op; NULL: not asked for yet */
    bool known;
};

struct osw_planner {
    osw_arena_t *arena;   /* of the plan */
    osw_arena_t *scratch; /* of the case under decision */
    const struct osw_campaign *campaign;
    const struct osw_profile *profile;
    struct osw_plan_bundle *bundles; /* [n] of room for every item */
    size_t n;
    uint64_t n_cells;
    struct osw_plan_impls impls; /* of the last op */
    uint64_t *keys;              /* [n_keys] room for keys of cells */
    size_t n_keys;
    bool *found; /* [campaign->n_cells] keys that are there */
    struct osw_error *err;
};

/* A case under decision; what it points to may live in the scratch. */
struct osw_plan_draft {
    struct osw_case parsed;
    struct osw_plan_bundle bundle;
    struct osw_bound_arg *args;
    struct osw_bound_tensor *tensors;
    size_t n_args, n_tensors;
    size_t n_able;             /* implementations that would run */
    struct osw_case_size size; /* what cost_ns is by, where there is one */
    const char *reason;        /* why no cell runs; NULL: they do */
};

/* Fails: -1. */
static inline int osw_plan_no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
}

#endif /* OSW_MPI_RUNNER_PLANNER_H */
