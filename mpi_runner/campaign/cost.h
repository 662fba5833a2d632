/* mpi_runner/campaign/cost.h - what a case will need: memory, operations, time
 *
 * Pure.  Rates are those of one core of an ordinary server and of a GPU, in one
 * table in cost.c; they decide what is skipped and what is dispatched first,
 * and are never reported as measurements.
 *
 * Upstream: plan.  To teach it a case, give op.json `numel`, `flops` and
 * `reads`.
 */
#ifndef OSW_MPI_RUNNER_COST_H
#define OSW_MPI_RUNNER_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"
#include "ops/inputs/bind.h"
#include "ops/record/record.h"
#include "worker/worker.h"

/* Sizes of one case. */
struct osw_case_size {
    double in_elements;  /* of all tensors, as many as there are indices */
    double in_bytes;     /* memory that they span */
    double out_elements; /* op.json's numel, else the largest tensor's */
    double out_bytes;    /* in that tensor's dtype */
    double flops;        /* op.json's, else out_elements */
    double bytes;        /* what is read, each output written once */
};

/* Sizes from bound arguments and their n_tensors tensors.
 * Returns 0, or -1 with err set to OSW_BAD_INPUT when an expression of op.json
 * does not fit this case, or is not a size.
 */
int osw_cost_size(const struct osw_op *op, const struct osw_bound_arg *args,
                  size_t n_args, const struct osw_bound_tensor *tensors,
                  size_t n_tensors, struct osw_case_size *out,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Likewise of a case.  Returns 0, or -1 with err set, also to OSW_NO_MEMORY;
 * what is made of it on the way stays in the arena.
 */
int osw_cost_of_case(osw_arena_t *arena, const struct osw_op *op,
                     const struct osw_case *parsed, struct osw_case_size *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Bytes of one bundle: inputs, outputs twice (written, and kept to compare),
 * and for a full check the float64 reference and its norms.  One arena is
 * counted, however many sandboxes are open: arenas of idle ones shrink.
 */
double osw_cost_memory(const struct osw_case_size *size, enum osw_check check);

/* Seconds of one call of one good implementation, by kind of device. */
double osw_cost_call(const struct osw_case_size *size, const char *device);

/* Seconds of one bundle of n_impls implementations on one worker, by kind of
 * device.
 */
double osw_cost_time(const struct osw_case_size *size, const char *device,
                     enum osw_check check, size_t n_impls, bool time,
                     const struct osw_profile *profile);

#endif /* OSW_MPI_RUNNER_COST_H */
