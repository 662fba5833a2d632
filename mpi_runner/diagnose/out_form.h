/* mpi_runner/diagnose/out_form.h - does an `.out` op make what its functional
 * op makes?
 *
 * Upstream: `opsweep check`.  Downstream: osw_worker_out_form().
 */
#ifndef OSW_MPI_RUNNER_OUT_FORM_H
#define OSW_MPI_RUNNER_OUT_FORM_H

#include "ops/cases/gen_case.h"
#include "ops/catalog/op.h"
#include "worker/worker.h"

/* The functional op of an `.out` op: `scale` beside `scale__out`. */
struct osw_out_form {
    uint32_t n_outs; /* 0: the op is no `.out` op */
    struct osw_op functional;
    struct osw_gen_case at; /* its first case */
    char why[512];          /* there is none; else "" */
};

/* Find it.  0, or -1 with err set. */
int osw_out_form_find(osw_arena_t *memory, const struct osw_op *op,
                      const char *device, struct osw_out_form *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Check one implementation of the `.out` op.  0, or -1 with err set. */
int osw_out_form_check(osw_worker_t *worker, const struct osw_out_form *f,
                       const struct osw_op *op, const char *impl,
                       struct osw_subtest *found,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_OUT_FORM_H */
