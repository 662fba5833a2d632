/* worker/sandbox/gang_nccl.h - NCCL's communicator of a gang
 *
 * NCCL is looked for when op code asks for its communicator, and never linked.
 * Its processes find each other by sockets.h.  A thread watches the
 * communicator: once a member has ended, or NCCL reports an error, it is
 * aborted, so that work that waits for that member ends.
 *
 * Upstream: communicator.c, session.c.
 */
#ifndef OSW_WORKER_SANDBOX_GANG_NCCL_H
#define OSW_WORKER_SANDBOX_GANG_NCCL_H

struct osw_communicator_state;

/* The communicator (ncclComm_t), made by all members at the first call; or, of
 * its NCCL, the function named `symbol`.  NULL, which is said.
 */
void *osw_gang_nccl(struct osw_communicator_state *s, const char *symbol);

/* Enqueue what ends when all members have come to it. */
void osw_gang_nccl_meet(const struct osw_communicator_state *s, void *stream);

/* Why the communicator was aborted; NULL: it was not. */
const char *osw_gang_nccl_failure(const struct osw_communicator_state *s);

#endif /* OSW_WORKER_SANDBOX_GANG_NCCL_H */
