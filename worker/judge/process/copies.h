/* worker/judge/process/copies.h - processes that op code forked and left
 *
 * A forked process has the memory of its parent that is shared with the judge,
 * where inputs and outputs lie; a program that was started has not.
 */
#ifndef OSW_WORKER_JUDGE_COPIES_H
#define OSW_WORKER_JUDGE_COPIES_H

#include <sys/types.h>

/* A live process of the group of `leader`, but not that one, that has a mapping
 * of the file of descriptor `fd`; 0: none, or the kernel lists no children
 * (CONFIG_PROC_CHILDREN).  Found are children of the leader, those of ours that
 * are of its group, and theirs.  A few system calls if there are none.  tick,
 * or NULL, is called for each process: one with many mappings takes long.
 */
pid_t osw_copies_find(pid_t leader, int fd, void (*tick)(void *arg), void *arg);

#endif /* OSW_WORKER_JUDGE_COPIES_H */
