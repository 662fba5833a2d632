/* mpi_runner/ranks/series.h - campaigns that the same ranks judge one after
 * another
 *
 * `opsweep run --series` says on standard output that a campaign is over, and
 * reads from standard input which one comes next.
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_SERIES_H
#define OSW_MPI_RUNNER_SERIES_H

#include <signal.h>
#include <stddef.h>

#include "common/error.h"

/* Say that a campaign ended with that exit code, and wait for the name of the
 * next one's file.  1: it is in path[size]; 0: no other comes, or *n_stop is
 * set; or -1 with err set.
 */
int osw_series_next(int code, const volatile sig_atomic_t *n_stop, char *path,
                    size_t size, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_SERIES_H */
