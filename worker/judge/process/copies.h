/* worker/judge/process/copies.h - processes that op code forked and left
 *
 * A forked process has the memory of its parent that is shared with the judge,
 * where inputs and outputs lie; a program that was started has not.
 */
#ifndef OSW_WORKER_JUDGE_COPIES_H
#define OSW_WORKER_JUDGE_COPIES_H

#include <sys/types.h>

/* A live process of the group of `leader`, but not that one, that can write to
 * the file of descriptor `fd` by a mapping; 0: none, or the kernel lists no
 * children (CONFIG_PROC_CHILDREN).  Found are children of the leader, those of
 * ours that are of its group, and theirs.  A few system calls if there are
 * none.
 */
pid_t osw_copies_find(pid_t leader, int fd);

#endif /* OSW_WORKER_JUDGE_COPIES_H */
