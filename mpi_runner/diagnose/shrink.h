/* mpi_runner/diagnose/shrink.h - the smallest case that still fails in the same
 * way
 *
 * A search over the sizes in a case: those of its dimensions, and the integers
 * that repeat them (a shape in a list, a size given as a number).  Equal sizes
 * are first changed together, since most often they must agree (the k of a
 * matrix product); then apart, by place and one by one, keeping what still
 * fails.  Strides become simpler where that changes nothing.
 *
 * Pure: whether a case fails is asked of the caller.
 */
#ifndef OSW_MPI_RUNNER_SHRINK_H
#define OSW_MPI_RUNNER_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/value.h"

enum osw_shrink_answer {
    OSW_SHRINK_SAME,  /* fails in the same way */
    OSW_SHRINK_OTHER, /* runs, and ends otherwise */
    OSW_SHRINK_UNFIT, /* the op does not take such a case */
    OSW_SHRINK_STOP,  /* time is up: end with what there is */
};

struct osw_shrink_job {
    osw_arena_t *memory;          /* where cases are made */
    const struct osw_case *start; /* fails; borrowed */
    uint32_t max_trials;
    /* Try one case, which lives in `memory`.  0, or -1 with err set: the
     * search ends with that error.
     */
    int (*ask)(void *arg, const struct osw_case *c,
               enum osw_shrink_answer *answer, struct osw_error *err);
    void *arg;
};

struct osw_shrink_result {
    struct osw_case smallest; /* the start itself when nothing was smaller */
    uint32_t n_trials;        /* times that `ask` was called */
    bool finished;            /* nothing is left to try */
    bool smaller;             /* than the start */
};

/* Returns 0, or -1 with err set: what `ask` said, or OSW_NO_MEMORY. */
int osw_shrink(const struct osw_shrink_job *job, struct osw_shrink_result *out,
               struct osw_error *err) OSW_MUST_CHECK;

/* What a size of the start became: the smallest that a dimension of that size
 * has in `to`, which has the same form; `size` itself when there is none.
 */
int64_t osw_shrink_size(const struct osw_case *start, const struct osw_case *to,
                        int64_t size);

#endif /* OSW_MPI_RUNNER_SHRINK_H */
