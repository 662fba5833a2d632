/* results/file/replaces.h - may the file that a journal makes take the place of
 * the one that is there?
 *
 * Upstream: `opsweep journal recover`, `opsweep run --resume`.  Downstream:
 * file.h, replay.h.
 */
#ifndef OSW_RESULTS_REPLACES_H
#define OSW_RESULTS_REPLACES_H

#include "common/error.h"
#include "results/journal/replay.h"

/* Is the file `path`, where there is one, of the journal's run?  One that
 * cannot be read may be.  Returns 0, or -1 with err set: OSW_BAD_INPUT,
 * OSW_NO_MEMORY.
 */
int osw_replaces_same_run(const char *path, const struct osw_replay *replay,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The same, and does the journal hold each cell that the file holds?  One that
 * cannot be read is refused.
 */
int osw_replaces_whole(const char *path, const struct osw_replay *replay,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPLACES_H */
