/* mpi_runner/generate/tasks.h - the ops that kernels are written for, and their
 * cases
 *
 * Upstream: `opsweep generate`.  Downstream: planning; prompt.h, wave.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_TASKS_H
#define OSW_MPI_RUNNER_GENERATE_TASKS_H

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "ops/catalog/op.h"

struct osw_task_case {
    const char *text, *fill, *dtype;
    double flops, bytes; /* of a call; NaN: unknown */
    bool timed;
    bool held_out; /* in no prompt, and judged in the last campaign only */
};

struct osw_task {
    const struct osw_op *op;
    const char *label;    /* of its folder in a run: "add__Tensor" */
    const char *symbol;   /* the function: "add__Tensor_kernel_impl" */
    const char *baseline; /* implementation; "": there is none */
    struct osw_task_case *cases;
    size_t n_cases, n_shown;
};

struct osw_tasks {
    osw_arena_t *arena; /* of all below */
    struct osw_campaign campaign;
    struct osw_task *at;
    size_t n;
    size_t n_left_out; /* ops without a folder, or without a case that runs */
};

/* Plan the campaign of `opts`, and hold back that share of each op's cases, by
 * the seed; one case at least is shown, and a timed one if there is any.
 * Returns 0, or -1 with err set as by planning; OSW_NOTHING: no op is left.
 */
int osw_tasks_load(osw_arena_t *arena, struct osw_campaign_opts *opts,
                   const struct osw_args *args, double holdout,
                   struct osw_tasks *out, struct osw_error *err) OSW_MUST_CHECK;

/* Choose the cases that are held out.  Pure; for osw_tasks_load() and tests. */
void osw_tasks_hold_out(struct osw_task *task, double share, uint64_t seed);

/* The case of that text and fill, or NULL. */
const struct osw_task_case *osw_tasks_case(const struct osw_task *task,
                                           const char *text, const char *fill);

/* The task of that op's canonical name, or NULL. */
const struct osw_task *osw_tasks_find(const struct osw_tasks *tasks,
                                      const char *op);

#endif /* OSW_MPI_RUNNER_GENERATE_TASKS_H */
