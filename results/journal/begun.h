/* results/journal/begun.h - cells that were begun and never ended, by sessions
 *
 * A session is what one process wrote: from the run's start, or a `resume`
 * event, to the next one.  One that ended by itself has an END, one that was
 * asked to stop an event `signal`; without either its coordinator died, perhaps
 * by what a cell did to its node.  A resume counts in how many of those
 * each cell was begun and has no result, so that a cell that kills its node is
 * not begun for ever.  Nor is one that kills its workers, of which the
 * coordinator says that they are lost: a session counts for the cells of those,
 * whatever its end, until it is asked to stop.  `lost` is no result.
 *
 * A worker that outlives its coordinator shows that its running cells did not
 * kill the coordinator, so that death does not count for them.  It leaves an
 * empty file "outlived.SESSION.RANK" beside the segments.
 *
 * A worker that died is suspected of the cells that it was at, not of all that
 * it had in hand, where its file says which these were (at_work.h).  If the
 * file says that the worker was killed from outside, that death does not count
 * for them, up to OSW_BEGUN_PARDONS times a cell: no cell is begun for ever.
 *
 * Upstream: a journal; mpi_runner/ranks/rank_messages.c.  Downstream:
 * mpi_runner/ranks/resume.c.
 */
#ifndef OSW_RESULTS_BEGUN_H
#define OSW_RESULTS_BEGUN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { OSW_BEGUN_PARDONS = 10 };

struct osw_begun_cell {
    uint64_t cell;
    uint32_t n;          /* sessions in which its worker died, the last one */
    uint32_t n_alone;    /* of them, in which no other cell is suspected */
    uint32_t n_pardoned; /* besides: its worker was killed from outside */
};

/* How a cell without a result is run next. */
enum osw_suspicion {
    OSW_SUSPICION_NONE,   /* as any other */
    OSW_SUSPICION_SHARED, /* one session or its workers died, or some that were
                             pardoned: by itself on its worker, while other
                             workers run others */
    OSW_SUSPICION_ALONE,  /* two: by itself in the whole campaign */
    OSW_SUSPICION_PROVED, /* three, and in one it was the only suspect, or two
                             and it was the only one in both: never */
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

/* Pure. */
enum osw_suspicion osw_begun_suspicion(const struct osw_begun_cell *cell);

/* In how many sessions that died, its worker too, it was begun and not ended,
 * pardoned ones left out.
 */
uint32_t osw_begun_of(const struct osw_begun *begun, uint64_t cell);

/* Worker `rank` is still there, and the coordinator that wrote session
 * `session` (from 0) of the journal in `dir` is not.  A failure to make the
 * file is not reported.  dir "": there is no journal.
 */
void osw_begun_outlived(const char *dir, uint32_t session, int32_t rank);

#endif /* OSW_RESULTS_BEGUN_H */
