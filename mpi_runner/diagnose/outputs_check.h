/* mpi_runner/diagnose/outputs_check.h - does op.json's `outputs` say what the
 * reference makes?
 *
 * Upstream: `opsweep check`.
 */
#ifndef OSW_MPI_RUNNER_OUTPUTS_CHECK_H
#define OSW_MPI_RUNNER_OUTPUTS_CHECK_H

#include "ops/cases/gen_case.h"
#include "ops/catalog/op.h"
#include "worker/worker.h"

struct osw_outputs_found {
    uint64_t n_compared, n_wrong; /* cases; outputs that differ */
    char first[512];              /* of n_wrong > 0: what differs, and where */
};

/* Compare dtypes and shapes on the first `limit` cases of an op with `outputs`
 * and a reference.  Returns 0, or -1 with err set.
 */
int osw_outputs_check(osw_worker_t *worker, const struct osw_op *op,
                      const struct osw_gen_cases *cases, uint64_t limit,
                      struct osw_outputs_found *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_OUTPUTS_CHECK_H */
