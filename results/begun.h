/* results/begun.h - cells that were begun and never ended, by sessions
 *
 * A session is what one process wrote: from the run's start, or a `resume`
 * event, to the next one.  One that ended by itself has an END; without one
 * its coordinator died, perhaps by what a cell did to its node.  Whoever
 * resumes counts in how many of those each cell was begun and has no result,
 * so that a cell that takes everything down is not begun for ever.
 *
 * Upstream: a journal.  Downstream: mpi_runner/resume.c.
 */
#ifndef OSW_RESULTS_BEGUN_H
#define OSW_RESULTS_BEGUN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct osw_begun_cell {
    uint64_t cell;
    uint32_t n; /* sessions that died over it, >= 1 */
};

struct osw_begun {
    uint32_t n_sessions;
    uint32_t n_died; /* of them, without an END; the last one counts */
    size_t n;
    struct osw_begun_cell *cells; /* [n] sorted by cell, each once */
};

/* Read the journal in `dir`.  Returns 0 and *out, which the caller frees, or -1
 * with err set: as osw_journal_scan().
 */
int osw_begun_load(const char *dir, struct osw_begun *out,
                   struct osw_error *err) OSW_MUST_CHECK;
void osw_begun_free(struct osw_begun *begun);

/* In how many sessions the cell was begun and not ended. */
uint32_t osw_begun_of(const struct osw_begun *begun, uint64_t cell);

#endif /* OSW_RESULTS_BEGUN_H */
