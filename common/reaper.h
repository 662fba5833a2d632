/* common/reaper.h - ends what a killed process leaves behind
 *
 * A process that is killed by -9 ends nothing itself: sandboxes die with their
 * judge, but what op code or a compiler started goes on.  The reaper is a
 * small process beside it that knows its process groups and its scratch folder,
 * and kills and removes what is left of them as soon as the process that told
 * it is gone, however it went.
 *
 * Upstream: worker/worker.c starts it; whoever makes process groups (sandboxes,
 * compilers) names them.  Its own side runs in the sandbox program.
 */
#ifndef OSW_COMMON_REAPER_H
#define OSW_COMMON_REAPER_H

#include <sys/types.h>

/* The word after the sandbox program's name that makes it a reaper. */
#define OSW_REAPER_WORD "--reaper"

/* Start it, from the sandbox program at that path, or count one user more.
 * Where it cannot be started nobody knows: then what is left behind, is.
 */
void osw_reaper_start(const char *sandbox_path);

/* One user less; the last one ends it, and it kills the groups it knows. */
void osw_reaper_stop(void);

/* A process group that is ours, and one that is no more.  Never block; without
 * a reaper they do nothing.  Any thread.
 */
void osw_reaper_add(pid_t group);
void osw_reaper_remove(pid_t group);

/* A folder, by a path of less than 127 bytes, that is to be removed when this
 * process is killed, and one that is gone.  As those of groups.
 */
void osw_reaper_add_folder(const char *path);
void osw_reaper_remove_folder(const char *path);

/* The reaper's own side: hear of groups and folders on descriptor `fd`
 * until the other end is closed, kill the groups that are left, call
 * remove_folder for each folder that is, and return.
 */
void osw_reaper_serve(int fd, void (*remove_folder)(const char *path));

#endif /* OSW_COMMON_REAPER_H */
