/* worker/scratch.h - folders that go with what was written in them
 *
 * A worker has one, with a folder for each of its sandboxes in it.
 */
#ifndef OSW_WORKER_SCRATCH_H
#define OSW_WORKER_SCRATCH_H

#include <stddef.h>

#include "common/error.h"

/* Where these folders are made: $TMPDIR, or /tmp where that is not set or has a
 * long name.
 */
const char *osw_scratch_place(void);

/* Make a folder there, into path[size], and remove those that workers of this
 * user left there when they were killed.  If this process is killed, the reaper
 * (common/reaper.h) removes the folder, if it was started.  Returns a
 * descriptor, for osw_scratch_close(), that keeps other workers from removing
 * the folder; or -1 with err (OSW_SYSTEM).
 */
int osw_scratch_open(char *path, size_t size,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Remove it.  fd -1: there is none. */
void osw_scratch_close(int fd, const char *path);

/* Remove a folder and all that is in it, whatever op code made of its modes;
 * links are not followed.  Folders may lie in folders to any depth.
 */
void osw_scratch_remove(const char *path);

#endif /* OSW_WORKER_SCRATCH_H */
