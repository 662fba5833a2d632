/* mpi_runner/campaign/planner.h - a plan being made
 *
 * Private to plan_make.c, plan_impls.c, plan_check.c.
 */
#ifndef OSW_MPI_RUNNER_PLANNER_H
#define OSW_MPI_RUNNER_PLANNER_H

#include "mpi_runner/campaign/plan.h"
#include "ops/inputs/bind.h"

struct osw_planner {
    osw_arena_t *arena;
    const struct osw_campaign *campaign;
    const struct osw_profile *profile;
    struct osw_plan_bundle *bundles; /* [n] of room for every item */
    size_t n;
    uint64_t n_cells;
    bool *found; /* [campaign->n_cells] keys that are there */
    struct osw_error *err;
};

/* A case under decision. */
struct osw_plan_draft {
    struct osw_plan_bundle bundle;
    struct osw_bound_arg *args;
    struct osw_bound_tensor *tensors;
    size_t n_args, n_tensors;
    size_t n_able;      /* implementations that could run */
    const char *reason; /* why no cell runs; NULL: they do */
};

/* Fails: -1. */
static inline int osw_plan_no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
}

#endif /* OSW_MPI_RUNNER_PLANNER_H */
