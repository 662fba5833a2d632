/* worker/sandbox/isolate.h - what the kernel forbids to op code
 *
 * Called once, before any untrusted code is loaded, while the process has one
 * thread.  Features that the kernel or the build lacks are left out; doctor
 * asks osw_isolate_probe() which are in force.  docs/SECURITY.md gives the
 * reasons.
 *
 * Upstream: main.c, and opsweep_host.py through python.c.
 */
#ifndef OSW_WORKER_SANDBOX_ISOLATE_H
#define OSW_WORKER_SANDBOX_ISOLATE_H

#include <stdbool.h>

#include "common/error.h"

/* For good, for this process and its children:
 *
 *   capabilities  root's own are dropped, except those to read files of others
 *   files         written only below the working directory, and on the devices
 *                 of `device`; processes outside cannot be looked into, nor
 *                 (Linux 6.12) be sent signals
 *   calls         no network, ptrace, mounts ...: see filter_seccomp.c
 *
 * TMPDIR becomes the working directory.  $OPSWEEP_ISOLATION says how much of
 * that: "full" (also when it is not set), "basic" (without files), "off".
 *
 * If $OPSWEEP_READABLE is set, files are read only below its paths and where
 * the system has programs and libraries (common/confine.h).
 */
void osw_isolate(const char *device);

/* The same in two steps, for a process that learns later which file it will
 * load: Python's, whose files have caches of their own.
 *
 * begin  all but the limit of calls.  Caches that variables name may be written
 *        (TORCH_EXTENSIONS_DIR ...: the table in isolate.c).
 * end    the rest, of the calling thread and of those that it starts, before
 *        any code of an op is loaded.  Only the caches that the variables name
 *        now may be written, or none.  Each thread that the process has must
 *        have called it: op code can use them all.  Returns 0, or -1 with
 *        errno where the kernel refuses.
 */
void osw_isolate_begin(const char *device);
int osw_isolate_end(const char *device, bool caches) OSW_MUST_CHECK;

/* That limit alone, of reading, with the folder of $TMPDIR; with or without the
 * paths of $OPSWEEP_READABLE_OPS.
 */
void osw_isolate_reads(bool ops);

/* Try it in a child, and print a line for each promise: its name, "yes" or
 * "no", and what was found, separated by tabs.  Returns an exit status.
 */
int osw_isolate_probe(const char *device);

#endif /* OSW_WORKER_SANDBOX_ISOLATE_H */
