/* results/file/seal.h - a journal becomes the result file, in one pass
 *
 * What is in the file, and where, is here and in docs/RESULTS.md; how HDF5 is
 * told is in store_h5.c.  The same journal gives the same bytes.
 */
#ifndef OSW_RESULTS_SEAL_H
#define OSW_RESULTS_SEAL_H

#include <stdbool.h>

#include "common/error.h"
#include "results/file/seal_rows.h"
#include "results/journal/replay.h"

#define OSW_SEAL_SCHEMA "opsweep.results"

enum { OSW_SEAL_SCHEMA_MAJOR = 1, OSW_SEAL_SCHEMA_MINOR = 5 };

/* Does the file say complete: the run says so, and every cell has a result? */
bool osw_seal_is_complete(const struct osw_replay *replay);

/* Write the file `path` from the replay of a journal: to a temporary name
 * beside it, closed, synced, opened and checked again, then renamed, replacing
 * any.  Blocks.
 *
 * Returns 0, or -1 with err set and no file left over: OSW_SYSTEM,
 * OSW_NO_MEMORY, OSW_BAD_INPUT when the journal changed meanwhile.
 */
int osw_seal(const struct osw_replay *replay, const char *path,
             struct osw_error *err) OSW_MUST_CHECK;

/* The same with records from elsewhere than a journal; the replay holds all
 * the rest, its `dir` names the source in messages.
 */
int osw_seal_from(const struct osw_replay *replay,
                  const struct osw_seal_source *source, const char *path,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_SEAL_H */
