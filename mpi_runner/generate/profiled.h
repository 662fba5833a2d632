/* mpi_runner/generate/profiled.h - what ncu measured of a kernel, in a few
 * numbers
 *
 * Upstream: explain.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_PROFILED_H
#define OSW_MPI_RUNNER_GENERATE_PROFILED_H

#include "common/text.h"

enum { OSW_PROFILED_MAX = 3 }; /* kernels */

/* Of ncu's report the kernels that `code` names, each at its last launch, and
 * of each the metrics that say what bounds it.  Of one name the reference's
 * come first: their process begins first.  Nothing, where there are none.
 * Pure.
 */
void osw_profiled_add(const char *report, const char *code,
                      struct osw_text *out);

#endif /* OSW_MPI_RUNNER_GENERATE_PROFILED_H */
