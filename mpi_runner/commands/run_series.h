/* mpi_runner/commands/run_series.h - campaigns that come one after another
 *
 * `opsweep run --series` says on standard output that a campaign is over, and
 * reads from standard input which one comes next.
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_RUN_SERIES_H
#define OSW_MPI_RUNNER_RUN_SERIES_H

#include <signal.h>
#include <stddef.h>

#include "common/error.h"
#include "mpi_runner/commands/run_opts.h"

/* Can these options hold for several campaigns?  Returns 0, or -1 with err set
 * to OSW_BAD_INPUT.
 */
int osw_run_series_check(const struct osw_run_opts *opts,
                         const struct osw_args *args,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Say that a campaign ended with that exit code, and wait for the name of the
 * next one's file.  1: it is in path[size]; 0: no other comes, or *n_stop is
 * set; or -1 with err set.
 */
int osw_run_series_next(int code, const volatile sig_atomic_t *n_stop,
                        char *path, size_t size,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RUN_SERIES_H */
