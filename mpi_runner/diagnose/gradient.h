/* mpi_runner/diagnose/gradient.h - is an op's gradient the derivative of its
 * reference?
 *
 * Along a random direction v and for random weights g of the outputs, the
 * references in float64 must agree: the sum of g * (f(x + h v) - f(x - h v)) /
 * 2 h, and the sum of v * backward(g).  Where f has a kink within h, they need
 * not; a random input is seldom there.
 *
 * Upstream: `opsweep check`.
 */
#ifndef OSW_MPI_RUNNER_GRADIENT_H
#define OSW_MPI_RUNNER_GRADIENT_H

#include "ops/cases/gen_case.h"
#include "ops/catalog/op_backward.h"
#include "worker/worker.h"

enum osw_gradient_verdict {
    OSW_GRADIENT_UNKNOWN, /* no case can tell: text says why */
    OSW_GRADIENT_RIGHT,   /* on some cases: text says how many */
    OSW_GRADIENT_WRONG,   /* text says what was found and expected */
};

/* Check the op that op->backward names, which lies beside op's folder, on some
 * of the cases, with every float32, float16 and bfloat16 in them made float64.
 * Returns 0 with *verdict and text set, or -1 with err set.
 */
int osw_gradient_check(osw_arena_t *memory, osw_worker_t *worker,
                       const struct osw_op *op, const char *device,
                       const struct osw_gen_cases *cases,
                       enum osw_gradient_verdict *verdict, char text[512],
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GRADIENT_H */
