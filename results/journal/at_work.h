/* results/journal/at_work.h - what each worker was at, as it says itself
 *
 * A worker has many cells in hand and is at a few of them.  Before it judges
 * these it names them in the file "at_work.SESSION.RANK" beside the segments.
 * The file is overwritten in place and never synced: it survives the end of
 * every process of a node.  A node that loses its power may leave an old
 * version; begun.c trusts a file only if a cell that it names has no result.
 *
 * Each worker has its own file, because network file systems cache whole pages.
 *
 * When a worker ends, the reaper beside it adds to the file how it ended.  A
 * kill from outside says nothing against the cells that the worker was at.  The
 * coordinator reads there that a rank on another node has ended, long before
 * its silence tells it.
 *
 * Upstream: mpi_runner/ranks/rank_bundles.c; common/reaper.c.  Downstream:
 * begun.c; mpi_runner/ranks/peers.c, coordinator.c.
 */
#ifndef OSW_RESULTS_AT_WORK_H
#define OSW_RESULTS_AT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/death.h"
#include "common/error.h"

enum { OSW_AT_WORK_MAX = 256 }; /* ranges of cells in one file */

struct osw_at_work_range {
    uint64_t first, last; /* cells; both included */
};

/* Make or empty the worker's file.  Returns its descriptor, which the caller
 * closes, or -1: a worker without such a file is suspected of all it has.
 */
int osw_at_work_open(const char *dir, uint32_t session, int32_t rank);

/* Name the cells that come next.  More than OSW_AT_WORK_MAX ranges, or a write
 * that fails, leave an empty file.  fd -1 is ignored.
 */
void osw_at_work_write(int fd, const struct osw_at_work_range *ranges,
                       size_t n);

/* Where in the file a struct osw_death lies: after all ranges. */
extern const int64_t osw_at_work_death_at;

/* What one worker left. */
struct osw_at_work {
    uint32_t session;
    int32_t rank;
    struct osw_death death; /* not known: zeros */
    size_t n_open;          /* for begun.c: named cells that have no result */
    size_t n;
    struct osw_at_work_range *ranges; /* [n] */
};

struct osw_at_work_list {
    size_t n;
    struct osw_at_work *workers; /* [n] sorted by session, then rank */
};

/* Read the files in `dir`; those that say nothing, or are damaged, are left
 * out.
 * Returns 0, or -1 with err set: OSW_NO_MEMORY.
 */
int osw_at_work_load(const char *dir, struct osw_at_work_list *out,
                     struct osw_error *err) OSW_MUST_CHECK;
void osw_at_work_free(struct osw_at_work_list *list);

/* The worker's entry, or NULL. */
struct osw_at_work *osw_at_work_find(const struct osw_at_work_list *list,
                                     uint32_t session, int32_t rank);

/* Has that worker ended, and was it killed from outside, as far as its file
 * says?  dir NULL or "": there is no journal.
 */
bool osw_at_work_has_ended(const char *dir, uint32_t session, int32_t rank);
bool osw_at_work_was_killed(const char *dir, uint32_t session, int32_t rank);

bool osw_at_work_names(const struct osw_at_work *worker, uint64_t cell);

#endif /* OSW_RESULTS_AT_WORK_H */
