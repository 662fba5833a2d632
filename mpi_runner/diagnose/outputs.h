/* mpi_runner/diagnose/outputs.h - is op.json's `outputs` what the reference
 * makes?
 *
 * Upstream: `opsweep check`.
 */
#ifndef OSW_MPI_RUNNER_OUTPUTS_H
#define OSW_MPI_RUNNER_OUTPUTS_H

#include "ops/cases/gen_case.h"
#include "ops/catalog/op.h"
#include "worker/worker.h"

struct osw_outputs_found {
    uint64_t n_compared, n_wrong; /* cases */
    char text[512];               /* what is wrong in the first of them */
};

/* Compare shapes and dtypes on the first `limit` cases; a case that the
 * reference does not run is not compared.  0, or -1 with err set.
 */
int osw_outputs_check(osw_worker_t *worker, const struct osw_op *op,
                      const struct osw_gen_cases *cases, uint64_t limit,
                      struct osw_outputs_found *found,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_OUTPUTS_H */
