/* mpi_runner/diagnose/find_cell.h - which row of a result file is meant
 *
 * Upstream: commands that take a CELL.  Downstream: results/file/file.h.
 */
#ifndef OSW_MPI_RUNNER_FIND_CELL_H
#define OSW_MPI_RUNNER_FIND_CELL_H

#include <stdint.h>

#include "common/error.h"
#include "results/file/file.h"

/* The row of a cell by its number, its key of 16 hexadecimal digits, or
 * "OP/IMPL" or "OP/IMPL/INDEX", the INDEX-th cell of these from 0.  Returns 0,
 * or -1 with err set: OSW_BAD_INPUT, OSW_NO_MEMORY.
 */
int osw_find_cell(const osw_file_t *file, const char *cell, uint64_t *row,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_FIND_CELL_H */
