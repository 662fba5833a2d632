/* common/reaper.h - cleans up after a killed process
 *
 * A process that is killed by -9 cannot clean up.  Its sandboxes die with it,
 * but processes that op code or a compiler started go on.  The reaper is a
 * small process beside it that knows its process groups and its scratch folder.
 * As soon as the watched process is gone, for whatever reason, the reaper kills
 * these groups and removes the folder.  If it was given a file, it writes there
 * how the process ended (death.h).
 *
 * Upstream: worker/worker.c starts it; code that makes process groups
 * (sandboxes, compilers) registers them.  The reaper's side runs in the sandbox
 * program.
 */
#ifndef OSW_COMMON_REAPER_H
#define OSW_COMMON_REAPER_H

#include <stdint.h>
#include <sys/types.h>

/* The word after the sandbox program's name that makes it a reaper. */
#define OSW_REAPER_WORD "--reaper"

/* Start it, from the sandbox program at that path, or count one user more.
 * A failure to start is not reported: then leftovers are not cleaned up.
 */
void osw_reaper_start(const char *sandbox_path);

/* One user less; the last one ends it, and it kills the groups it knows. */
void osw_reaper_stop(void);

/* Register a process group, and unregister it.  Neither blocks; without a
 * reaper they do nothing.  Any thread.
 */
void osw_reaper_add(pid_t group);
void osw_reaper_remove(pid_t group);

/* Register a folder that is to be removed when this process is killed, and
 * unregister it.  The path has less than 127 bytes.  Otherwise as for groups.
 */
void osw_reaper_add_folder(const char *path);
void osw_reaper_remove_folder(const char *path);

/* Hand over a file, open for writing: when this process ends without
 * osw_reaper_stop(), a struct osw_death is written there at byte `at`.  The
 * descriptor stays the caller's.  Otherwise as for groups.
 */
void osw_reaper_report(int fd, int64_t at);

/* A sandbox may have so many bytes of its own memory. */
void osw_reaper_set_ceiling(uint64_t bytes);

/* The reaper's own side: read groups and folders from descriptor `fd` until the
 * other end is closed.  Then report how our parent ended, if it did, kill the
 * groups that are left, call remove_folder for each folder that is left, and
 * return.
 */
void osw_reaper_serve(int fd, void (*remove_folder)(const char *path));

#endif /* OSW_COMMON_REAPER_H */
