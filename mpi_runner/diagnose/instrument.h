/* mpi_runner/diagnose/instrument.h - a command under a sanitizer or a profiler
 *
 * Tools are rows of a table: compute-sanitizer's tools and ncu for cells on
 * CUDA, valgrind for cells on CPU.  A tool is looked for in PATH, then where
 * the CUDA toolkit lies; it follows the command into its sandboxes.
 *
 * Upstream: `opsweep show`.
 */
#ifndef OSW_MPI_RUNNER_INSTRUMENT_H
#define OSW_MPI_RUNNER_INSTRUMENT_H

#include <stdio.h>

#include "common/error.h"

/* Names as options take them, up to a NULL. */
extern const char *const osw_instrument_sanitizers[];
extern const char *const osw_instrument_profilers[];

/* Everything runs so many times slower under a tool, at most: for deadlines. */
#define OSW_INSTRUMENT_SLOWDOWN 50.0

struct osw_instrument_job {
    const char *tool;           /* one of the names above */
    const char *device;         /* kind that the cell runs on */
    const char *const *command; /* full path and words, up to a NULL */
    const char *output;         /* the report goes there; NULL: to `out` */
    FILE *out;
    double limit_s; /* it is ended then; 0: never */
};

/* Can it run here?  If so, tell later builds of ops, by the environment, what
 * its reports need.  Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  the tool is not for that device
 *   OSW_SYSTEM     it is not there: says what brings it
 */
int osw_instrument_check(const char *tool, const char *device,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Run it to its end and leave the report, which replaces a file of that name.
 * The command itself must exit 0.  Returns 1 when the tool found errors, 0
 * when it found none, or -1 with err set: as above, or OSW_CHILD when it did
 * not run to its end.
 */
int osw_instrument_run(const struct osw_instrument_job *job,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_INSTRUMENT_H */
