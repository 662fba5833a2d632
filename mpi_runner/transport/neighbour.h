/* mpi_runner/transport/neighbour.h - has another process of this node ended?
 *
 * MPI does not say so, and silence says it late.  For ranks of one node the
 * kernel knows at once.
 *
 * Upstream: peers_receive.c and rank_messages.c, beside the heartbeats of
 * link.h.
 */
#ifndef OSW_MPI_RUNNER_NEIGHBOUR_H
#define OSW_MPI_RUNNER_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

/* When process `pid` of this node was born, in ticks since the kernel's start;
 * 0: no such process, or not known.  Pid and birth together identify one
 * process: no other process of the node has both.
 */
uint64_t osw_neighbour_born(uint64_t pid);

/* Where pids mean what they mean to this process, as a number: alike on a host
 * but in containers; 0: not known.
 */
uint64_t osw_neighbour_pid_space(void);

/* Has the process that had this name on `host`, with pids of that space, ended?
 * False where that cannot be known.
 */
bool osw_neighbour_has_ended(const char *host, uint64_t pid, uint64_t born,
                             uint64_t pid_space);

/* A descriptor to watch the process that had this name on `host`, to be closed
 * by the caller; or -1: it is on another node, in another container, this
 * process itself, or the kernel cannot do it.  Then its end must be told from
 * its silence.
 */
int osw_neighbour_watch(const char *host, uint64_t pid, uint64_t born);

/* Has the process of that descriptor ended?  False for -1. */
bool osw_neighbour_gone(int fd);

/* Kill it, if it is still there. */
void osw_neighbour_kill(int fd);

#endif /* OSW_MPI_RUNNER_NEIGHBOUR_H */
