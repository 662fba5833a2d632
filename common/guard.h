/* common/guard.h - untrusted files are read in a process that may die
 *
 * A forged result file with a valid checksum reaches libhdf5, which may crash
 * on it, take memory without bound or never end.  So commands that read such
 * files work in a child.  The parent reads none: it waits and passes signals
 * on.  When the child dies, the parent names the file that was being read, and
 * removes files that the child had not finished writing.
 *
 * The child has two ceilings, which end in an error or a signal: memory
 * (private and writable, beyond what it began with) of 4 GiB and 64 times the
 * bytes of the files opened, at most what the machine has; and processor time
 * of 60 s, and 10 s for each MiB of these files.  1,000,000 cells (95 MB) take
 * 1 to 3 times their bytes and up to 0.5 s for each MiB.
 *
 * OPSWEEP_GUARD=off does without, for debuggers.
 *
 * Upstream: common/cli/cli.c, `opsweep run --resume`.  Downstream: the gate to
 * HDF5 says what it reads, writers of files what is not finished yet.
 */
#ifndef OSW_COMMON_GUARD_H
#define OSW_COMMON_GUARD_H

#include <stdbool.h>

#include "common/error.h"

/* Call f(arg, err) in a child and wait.  What it changes in memory is lost,
 * but *err; what it printed to standard output is flushed.  Blocks.  Signals
 * that end the child by intent (SIGINT, SIGTERM, SIGPIPE ...) end the caller
 * likewise; those sent to the caller alone are passed on.  The child dies with
 * the calling thread.  Inside of another call it is f(arg, err).
 *
 * Returns what f returned, with *err as f left it, or -1 with err set:
 *   OSW_BAD_INPUT  the child crashed, or took too long, over a file: its name;
 *                  OPSWEEP_GUARD is neither on nor off
 *   OSW_CHILD      it was killed, or crashed over no file
 *   OSW_SYSTEM     no process can be made
 */
int osw_guard_call(int (*f)(void *arg, struct osw_error *err), void *arg,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Write what is left for standard output.  Returns 0, or -1 with err set to
 * OSW_SYSTEM when that failed, or an earlier write did.  Any process.
 */
int osw_guard_flush(struct osw_error *err) OSW_MUST_CHECK;

/* The rest is for f; elsewhere it does nothing.  From one thread at a time. */

/* `path` is about to be opened: the ceilings rise by its size. */
void osw_guard_open(const char *path);
/* It is about to be read: it is named if that is the end. */
void osw_guard_read(const char *path);

/* Without ceilings from here on, or with them again: other programs would
 * inherit them.  Without, no untrusted file is read, and none is named.
 * Also between fork() and exec().
 */
void osw_guard_ceilings(bool on);

/* The file `path` must not stay if this process dies; NULL: none. */
void osw_guard_unfinished(const char *path);

#endif /* OSW_COMMON_GUARD_H */
