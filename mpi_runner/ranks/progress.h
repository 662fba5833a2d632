/* mpi_runner/ranks/progress.h - how far a campaign is, for people
 *
 * On a terminal a line that is drawn over, else a line per 10 s.
 */
#ifndef OSW_MPI_RUNNER_PROGRESS_H
#define OSW_MPI_RUNNER_PROGRESS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "ops/record/state.h"

struct osw_progress_state {
    int64_t elapsed_ns; /* since the first dispatch */
    double fraction;    /* of the predicted cost, 0 to 1 */
    uint64_t n_planned; /* cells */
    uint64_t n_before; /* of those, decided when the session began: by planning,
                          or in earlier sessions */
    uint64_t n_group[OSW_GROUP_COUNT];
    uint32_t n_workers;     /* alive */
    uint32_t n_running;     /* cases that workers are at */
    int64_t longest_ns;     /* how long the oldest of them has been running */
    const char *op, *impl;  /* of its first cell without a result; borrowed */
    uint32_t n_open;        /* its cells without a result */
    double fraction_before; /* when the session began */
};

/* Seconds to the end, by what a session has done of the predicted cost; NaN
 * while that is less than a hundredth of what it found: cells of no cost say
 * nothing of the others.
 */
static inline double osw_progress_left_s(double elapsed_s, double before,
                                         double fraction)
{
    return fraction > before && fraction - before >= 0.01 * (1 - before)
               ? elapsed_s * (1 - fraction) / (fraction - before)
               : NAN;
}

/* One line without newline, at most size - 1 bytes.  It says how much time is
 * left, unless a case has been running for longer than that and for 10 s: then
 * it names the case.  With a bar when width, the
 * columns of a terminal, is not 0.  Returns its length.  Pure.
 */
size_t osw_progress_line(char *buf, size_t size,
                         const struct osw_progress_state *s, unsigned width);

typedef struct osw_progress osw_progress_t;

/* Columns of the terminal that `out` writes to, 0 when it is none.  In a rank,
 * whose output goes through the launcher, OPSWEEP_COLUMNS says what that has.
 */
unsigned osw_progress_columns(FILE *out);

/* Show progress on `out`, borrowed: for a terminal of so many columns, or, 0,
 * for a file; the last line then also goes to the file that OPSWEEP_PROGRESS
 * names.  NULL without memory.
 */
osw_progress_t *osw_progress_create(FILE *out, unsigned columns) OSW_MUST_CHECK;
void osw_progress_destroy(osw_progress_t *progress); /* NULL is ignored */

/* Is a line due at now_ns (osw_clock_ns)?  Cheap. */
bool osw_progress_due(const osw_progress_t *progress, int64_t now_ns);

/* Show it now; `last` ends the line. */
void osw_progress_show(osw_progress_t *progress,
                       const struct osw_progress_state *s, int64_t now_ns,
                       bool last);

#endif /* OSW_MPI_RUNNER_PROGRESS_H */
