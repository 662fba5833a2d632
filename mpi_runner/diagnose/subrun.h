/* mpi_runner/diagnose/subrun.h - a campaign of our own, run by this very
 * program
 *
 * Upstream: confirm, `opsweep repeat`, `opsweep generate`.  Downstream:
 * `opsweep run`.
 */
#ifndef OSW_MPI_RUNNER_SUBRUN_H
#define OSW_MPI_RUNNER_SUBRUN_H

#include <signal.h>
#include <sys/types.h>

#include "common/error.h"

/* Write a campaign's JSON.  0, or -1 with err set to OSW_SYSTEM. */
int osw_subrun_write(const char *path, const char *json,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Run the campaign of that file into the result file `file`, replacing it;
 * what it says goes to the file `log`.  Cells may fail.  Blocks.  0, or -1 with
 * err set: OSW_INCOMPLETE when it ended otherwise, OSW_SYSTEM.
 */
int osw_subrun(const char *campaign, const char *file, const char *log,
               struct osw_error *err) OSW_MUST_CHECK;

/* The same without blocking: start it, then ask until it is no longer 0.
 * osw_subrun_start() returns the process, or -1 with err set; osw_subrun_poll()
 * 0 while it runs, 1 when it ended well or could judge no cell (`unsupported`),
 * or -1 as osw_subrun().
 */
pid_t osw_subrun_start(const char *campaign, const char *file, const char *log,
                       struct osw_error *err) OSW_MUST_CHECK;
int osw_subrun_poll(pid_t pid, const char *log,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Run this very program with these words, up to a NULL, and wait; what it says
 * goes to the file `log`.  It is ended after limit_s seconds, or when *n_stop
 * is not 0.  Returns its exit code, or -1 with err set: OSW_CHILD when it ended
 * otherwise, OSW_SYSTEM.
 */
int osw_subrun_command(const char *const *words, const char *log,
                       double limit_s, const volatile sig_atomic_t *n_stop,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_SUBRUN_H */
