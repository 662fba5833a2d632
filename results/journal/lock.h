/* results/journal/lock.h - one writer per journal
 *
 * The file <dir>/lock names the writer: host, pid, start time of that process
 * and run.  It appears whole or not at all (a link to a file that was written
 * before), also on a shared file system.
 *
 * A lock of a process of this host that is gone is taken over; one that was
 * killed and is still ending is waited for, at most 10 s.  The
 * kernel of another host cannot be asked; but a holder touches the lock every
 * OSW_LOCK_HEARTBEAT_NS.  So a lock that does not change for patience_ns
 * belongs to a process that is dead or cut off.  A holder that did not touch
 * the lock for longer than OSW_LOCK_HEARTBEAT_NS checks that it still holds it
 * before it writes.
 */
#ifndef OSW_RESULTS_LOCK_H
#define OSW_RESULTS_LOCK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define OSW_LOCK_HEARTBEAT_NS INT64_C(5000000000)
#define OSW_LOCK_PATIENCE_NS                                                   \
    INT64_C(30000000000) /* of a process that resumes */

/* Take the lock of the journal directory `dir` for the run `uuid`.  Blocks for
 * file I/O, and up to patience_ns to see whether a holder on another host is
 * alive (0: it counts as alive).  Returns 0, or -1 with err set: OSW_BAD_INPUT
 * when another process holds it (the message names host and pid), OSW_SYSTEM.
 */
int osw_lock_take(const char *dir, const char *uuid, int64_t patience_ns,
                  struct osw_error *err) OSW_MUST_CHECK;

/* -1, with err set to OSW_BAD_INPUT: the lock or its folder `path` was removed
 * or replaced meanwhile.
 */
int osw_lock_fail_changing(const char *path, struct osw_error *err);

/* Show that the caller, which must hold the lock, is alive.  Returns 0, or -1
 * with err set (OSW_SYSTEM): the lock is another's by now, or gone.
 */
int osw_lock_heartbeat(const char *dir, struct osw_error *err) OSW_MUST_CHECK;

/* The holder of the lock of `dir`, unless it is known to be gone: none, a
 * process of this host, or one of another host, which may be dead.  Its name
 * goes into who[size].  Waits for one that is ending, at most 10 s.
 */
enum osw_lock_holder { OSW_LOCK_FREE, OSW_LOCK_HERE, OSW_LOCK_ELSEWHERE };

enum osw_lock_holder osw_lock_look(const char *dir, char *who, size_t size);

/* Remove the lock.  Only the process that took it may call this. */
void osw_lock_release(const char *dir);

#endif /* OSW_RESULTS_LOCK_H */
