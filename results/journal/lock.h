/* results/journal/lock.h - one writer per journal
 *
 * The file <dir>/lock says who writes: host, pid, start time of that process
 * and run.  It appears whole or not at all (a link to a file that was written
 * before), also on a shared file system.
 *
 * A lock of a process of this host that is gone is taken over.  Of another
 * host nobody can ask the kernel; but its holder touches the lock every
 * OSW_LOCK_BEAT_NS, so one that does not change for as long as the taker is
 * willing to watch is dead or cut off.  A holder that was away for longer than
 * a beat looks whether the lock is still its own before it writes.
 */
#ifndef OSW_RESULTS_LOCK_H
#define OSW_RESULTS_LOCK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define OSW_LOCK_BEAT_NS INT64_C(5000000000)
#define OSW_LOCK_PATIENCE_NS                                                   \
    INT64_C(30000000000) /* of one who wants to resume */

/* Take the lock of the journal directory `dir` for the run `uuid`.  Blocks for
 * file I/O, and up to patience_ns to see whether a holder on another host is
 * alive (0: it counts as alive).  Returns 0, or -1 with err set: OSW_BAD_INPUT
 * when somebody else holds it (the message names host and pid), OSW_SYSTEM.
 */
int osw_lock_take(const char *dir, const char *uuid, int64_t patience_ns,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Show that the holder, who is the caller, is alive.  Returns 0, or -1 with
 * err set (OSW_SYSTEM): the lock is another's by now, or gone.
 */
int osw_lock_beat(const char *dir, struct osw_error *err) OSW_MUST_CHECK;

/* Does somebody hold the lock of `dir` who is not known to be gone: nobody, one
 * of this host, or one of another, who may be dead.  In words, into who[size].
 */
enum osw_lock_holder { OSW_LOCK_NOBODY, OSW_LOCK_HERE, OSW_LOCK_ELSEWHERE };

enum osw_lock_holder osw_lock_look(const char *dir, char *who, size_t size);

/* Remove the lock.  Only for the one who took it. */
void osw_lock_release(const char *dir);

#endif /* OSW_RESULTS_LOCK_H */
