/* mpi_runner/diagnose/recheck.h - what can be done with a recorded cell: judge
 * it again, keep its tensors, shrink it, put it under a sanitizer or a profiler
 *
 * Upstream: `opsweep show`.  Downstream: rerun, dump, shrink, instrument.
 */
#ifndef OSW_MPI_RUNNER_RECHECK_H
#define OSW_MPI_RUNNER_RECHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/record.h"
#include "results/file/file.h"

#define OSW_RECHECK_MAX_S 1e9

struct osw_recheck {
    bool rerun;       /* judge it again */
    const char *dump; /* folder for its tensors; NULL: none */
    bool shrink;
    uint64_t shrink_trials;
    double shrink_s;
    int sanitize;       /* index in osw_instrument_sanitizers; -1: no */
    int profile;        /* index in osw_instrument_profilers; -1: no */
    const char *output; /* of the tool; NULL: standard output */
    double timeout_s;   /* least deadline of a call; 0: the campaign's */
};

/* Is anything asked for? */
bool osw_recheck_wanted(const struct osw_recheck *a);

/* Do the options go together?  Returns 0, or -1 with err set. */
int osw_recheck_check(const struct osw_recheck *a,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Do what is asked, and report on standard output.  `cell` is how the command
 * line named the record.  Returns the exit code: 1 when a sanitizer found
 * errors; or -1 with err set.
 */
int osw_recheck_run(const struct osw_recheck *a, const osw_file_t *file,
                    const struct osw_record *record, const char *cell,
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RECHECK_H */
