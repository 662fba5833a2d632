/* results/lock.h - one writer per journal
 *
 * The file <dir>/lock says who writes: host, pid, start time of that process
 * and run.  It is made with O_EXCL, so that it also works on a shared file
 * system.  A lock of a process of this host that is gone is taken over; one of
 * another host never is.
 */
#ifndef OSW_RESULTS_LOCK_H
#define OSW_RESULTS_LOCK_H

#include "common/error.h"

/* Take the lock of the journal directory `dir` for the run `uuid`.  Blocks for
 * file I/O only.  Returns 0, or -1 with err set: OSW_BAD_INPUT when somebody
 * else holds it (the message names host and pid), OSW_SYSTEM.
 */
int osw_lock_take(const char *dir, const char *uuid,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Remove the lock.  Only for the one who took it. */
void osw_lock_release(const char *dir);

#endif /* OSW_RESULTS_LOCK_H */
