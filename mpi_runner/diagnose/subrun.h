/* mpi_runner/diagnose/subrun.h - a campaign of our own, run by this very
 * program
 *
 * Upstream: confirm, `opsweep repeat`.  Downstream: `opsweep run`.
 */
#ifndef OSW_MPI_RUNNER_SUBRUN_H
#define OSW_MPI_RUNNER_SUBRUN_H

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

#endif /* OSW_MPI_RUNNER_SUBRUN_H */
