/* mpi_runner/commands/list_coverage.h - opsweep list --coverage: the operators
 * of traces by what is there to run them
 */
#ifndef OSW_MPI_RUNNER_LIST_COVERAGE_H
#define OSW_MPI_RUNNER_LIST_COVERAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"

/* Returns 0, or -1 with err set: OSW_BAD_INPUT if the campaign has no traces,
 * and as osw_coverage_load().
 */
int osw_list_coverage(FILE *out, osw_arena_t *arena,
                      const struct osw_campaign *campaign, bool json,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_LIST_COVERAGE_H */
