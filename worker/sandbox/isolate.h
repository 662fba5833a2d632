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

/* For good, for this process and its children:
 *
 *   capabilities  root's own are dropped, except those to read files of others
 *   files         written only below the working directory, in caches, and on
 *                 the devices of `device`; processes outside cannot be looked
 *                 into, nor (Linux 6.12) be sent signals
 *   calls         no network, ptrace, mounts ...: see filter_seccomp.c
 *
 * TMPDIR becomes the working directory.  $OPSWEEP_ISOLATION says how much of
 * that: "full" (also when it is not set), "basic" (without files), "off".
 *
 * If $OPSWEEP_READABLE is set, files are read only below its paths and where
 * the system has programs and libraries (common/confine.h).
 */
void osw_isolate(const char *device);

/* That limit alone, of reading, with the folder of $TMPDIR; with or without the
 * paths of $OPSWEEP_READABLE_OPS.
 */
void osw_isolate_reads(bool ops);

/* Try it in a child, and print a line for each promise: its name, "yes" or
 * "no", and what was found, separated by tabs.  Returns an exit status.
 */
int osw_isolate_probe(const char *device);

#endif /* OSW_WORKER_SANDBOX_ISOLATE_H */
