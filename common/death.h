/* common/death.h - how a process ended, seen by one that is not its parent
 *
 * A process that is killed by -9 cannot say how it ended, and its parent is a
 * launcher that does not tell.  A process beside it (reaper.h) can see it, and
 * writes a struct osw_death.  It tells a kill from outside, which says nothing
 * of the work in hand, from a crash of the process itself.
 *
 * Upstream: reaper.c.  Downstream: results/journal/at_work.h.
 */
#ifndef OSW_COMMON_DEATH_H
#define OSW_COMMON_DEATH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In this time a launcher that ends a job kills all processes of it on a node,
 * one after the other.
 */
#define OSW_DEATH_KILLS_NS INT64_C(1000000000)

/* As it lies in a file, in the byte order of the machine. */
struct osw_death {
    uint32_t magic;
    int32_t signal;     /* that ended the process; 0: it exited, */
    int32_t status;     /* with this status */
    uint32_t n_oom;     /* processes that the kernel killed meanwhile for want
                           of memory */
    uint32_t n_over;    /* its sandboxes with more memory than allowed, as far
                           as they were still there to be looked at */
    uint32_t n_crashed; /* its sandboxes that another signal than SIGKILL had
                           ended */
    uint32_t check;     /* of the fields above */
};

/* Fill in magic and check. */
void osw_death_seal(struct osw_death *death);

/* Pure.  Was it sealed, and not changed since?  Zeros are not. */
bool osw_death_is_known(const struct osw_death *death);

/* Pure.  Known, ended by SIGKILL or SIGTERM, and nothing wrong with its
 * sandboxes: not by its own fault, nor by that of the code that it judged.
 */
bool osw_death_is_external(const struct osw_death *death);

/* --- looking --- */

/* A process whose end is of interest. */
struct osw_death_watch {
    pid_t pid;
    int fd; /* -1: the kernel has no such descriptors */
};

struct osw_death_watch osw_death_watch_open(pid_t pid);
void osw_death_watch_close(struct osw_death_watch *watch);

/* Has it ended, or is it ending?  Then *code is what waitpid() would say.  A
 * process that another one has reaped counts only where the kernel tells its
 * code all the same (Linux 6.15).
 */
bool osw_death_watch_ended(const struct osw_death_watch *watch, int *code);

/* Pure.  The same of a line of /proc/PID/stat. */
bool osw_death_parse_stat(const char *line, int *code);

/* Bytes of its own memory; 0: it is gone, or has none any more. */
uint64_t osw_death_resident(pid_t pid);

/* Processes that the kernel has ended so far for want of memory: in the
 * control group of this process, or on this node where the group does not
 * tell.
 */
uint64_t osw_death_n_oom(void);

#endif /* OSW_COMMON_DEATH_H */
