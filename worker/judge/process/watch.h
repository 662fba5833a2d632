/* worker/judge/process/watch.h - what the processes of a sandbox use, by the
 * kernel's account
 */
#ifndef OSW_WORKER_JUDGE_WATCH_H
#define OSW_WORKER_JUDGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/judge/process/held.h"

enum { OSW_WATCH_PROCESSES = 256 }; /* that a sandbox may have */

struct osw_watch {
    uint64_t bytes; /* of their own memory: no files, nothing shared */
    uint32_t n_processes;
};

/* Of one process: cheap.  All 0 when it is gone. */
struct osw_watch osw_watch_process(pid_t pid);

/* Bytes of memory that it has mapped; 0: it is gone. */
uint64_t osw_watch_mapped(pid_t pid);

/* Of a process group, zombies apart: looks at every process of the node.  What
 * they hold besides is added to `held`, if that is not NULL.  Stops after more
 * processes than a sandbox may have: it makes more while they are counted.
 */
struct osw_watch osw_watch_group(pid_t group, struct osw_held *held);

/* Reap those of the group that are our children and dead, but for its leader:
 * a process of op code becomes our child when its parent has ended.  Before
 * that it may be a zombie.  Never blocks.  False: no process of the group is
 * our child, dead or alive.
 */
bool osw_watch_reap(pid_t group);

/* When it was started: a number that no later process of that pid has.  0: it
 * is gone, or a zombie; -1: unknown.
 */
int64_t osw_watch_started(pid_t pid);

/* Nanoseconds that all its threads ran; 0: it is gone. */
int64_t osw_watch_cpu_ns(pid_t pid);

/* Nanoseconds for which its first thread was ready to run and had no core; 0:
 * unknown.
 */
int64_t osw_watch_waited(pid_t pid);

/* The same of each of its threads, up to so many: a call of several threads is
 * late when any of them is.  Takes about 10 us for each.
 */
enum { OSW_WATCH_THREADS = 256 };

struct osw_watch_waits {
    uint32_t n;
    struct {
        pid_t thread;
        int64_t ns;
    } of[OSW_WATCH_THREADS];
};
void osw_watch_waits(pid_t pid, struct osw_watch_waits *out);

/* The longest that one thread has waited between two accounts; one that is not
 * in the first began after it.
 */
int64_t osw_watch_longest_wait(const struct osw_watch_waits *then,
                               const struct osw_watch_waits *now);

/* The core that its first thread runs on, or ran on last; -1: it is gone. */
int osw_watch_core(pid_t pid);

/* Does its first thread wait now for a disk, or a file system far away? */
bool osw_watch_on_disk(pid_t pid);

/* Is it stopped: by a signal, a debugger, or a freezer of either generation? */
bool osw_watch_is_stopped(pid_t pid);

/* Does one of its threads run, or wait for a core? */
bool osw_watch_has_work(pid_t pid);

/* Its threads; 0: it is gone. */
int osw_watch_threads(pid_t pid);

/* Processes and threads of the node: cheap, and modulo 65536. */
uint16_t osw_watch_tasks(void);

/* Has the kernel ended a process for want of memory since this was asked last?
 * The first answer counts from the start of the node.
 */
bool osw_watch_oom(void);

#endif /* OSW_WORKER_JUDGE_WATCH_H */
