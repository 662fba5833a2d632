/* results/file/live.h - a result file, or what a run has recorded that has
 * none yet
 *
 * While a run goes on its results are in the journal FILE.journal.  They are
 * read without the journal's lock, made into a temporary file, and opened like
 * any result file: the run is not disturbed, and its journal not changed.
 *
 * Upstream: `opsweep report`, `opsweep show`.  Downstream: replay.h, seal.h,
 * file.h.
 */
#ifndef OSW_RESULTS_LIVE_H
#define OSW_RESULTS_LIVE_H

#include <stdbool.h>

#include "common/error.h"
#include "results/file/file.h"

enum osw_live_state {
    OSW_LIVE_SEALED,  /* it is the file */
    OSW_LIVE_RUNNING, /* of the journal; a process writes it */
    OSW_LIVE_CUT_OFF, /* of the journal; no process writes it, no file is there
                       */
};

struct osw_live {
    enum osw_live_state state;
    char who[300]; /* of RUNNING: "process 12 on host n1" */
    bool ended;    /* of a journal: the run came to its end, only the file is
                      missing */
};

/* Open the result file `path`, or what its journal holds where a process is
 * writing it or there is no file.  The file is called `path` in either case; of
 * a journal it is not complete.  Blocks for file I/O; needs room in TMPDIR
 * (/tmp) for the results so far.
 *
 * Returns a file that the caller owns, or NULL with err set: as
 * osw_file_open(), osw_replay_load() and osw_seal().  *live is set.
 */
osw_file_t *osw_live_open(const char *path, struct osw_live *live,
                          struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_LIVE_H */
