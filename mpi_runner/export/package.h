/* mpi_runner/export/package.h - a package's folder, with its tests' cases
 *
 * Upstream: mpi_runner/export/gather.h.  Downstream: `opsweep export-ops`,
 * `opsweep package`.
 */
#ifndef OSW_MPI_RUNNER_PACKAGE_H
#define OSW_MPI_RUNNER_PACKAGE_H

#include "mpi_runner/export/gather.h"

/* The name under which the folder is written until it is whole: beside it. */
const char *osw_package_part(osw_arena_t *arena, const char *output,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Write the package into `dir`, which is made, but for tests' cases. */
int osw_package_write(const struct osw_gathered *g, const char *dir,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Run the references, write the cases, and print a line for each op. */
int osw_package_write_cases(const struct osw_gathered *g, const char *dir,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Give it the name that was asked for. */
int osw_package_finish(const char *dir, const char *output,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_PACKAGE_H */
