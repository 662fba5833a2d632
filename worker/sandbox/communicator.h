/* worker/sandbox/communicator.h - messages between the sandboxes of a gang
 *
 * Upstream: loop.c joins a gang; session.c hands it to op code.
 */
#ifndef OSW_WORKER_SANDBOX_COMMUNICATOR_H
#define OSW_WORKER_SANDBOX_COMMUNICATOR_H

#include <stdbool.h>

#include <opsweep/collective.h>

#include "worker/segment.h"

struct osw_communicator_state {
    osw_communicator face; /* what op code sees */
    unsigned char *base;   /* of the segment; NULL: no gang */
    void (*say)(void *arg, const char *text); /* why a message failed */
    /* Of the host's and a device's memory, in any direction; NULL: memcpy.
     * False: the device failed, which is said.
     */
    bool (*copy)(void *arg, void *to, const void *from, uint64_t bytes);
    void *say_arg;         /* of both */
    uint64_t n_messages;   /* sent and received so far */
    const char *device;    /* that no two members may share for NCCL, for the
                              words on it; NULL: there is no NCCL for it */
    void *token;           /* a word of that device's memory, likewise */
    struct osw_nccl *nccl; /* gang_nccl.c; NULL: not asked for yet */
    bool out_of_reach; /* op code asked for what no other node can be reached by
                        */
};

/* Communicate as that rank by a segment, mapped at `base`. */
void osw_communicator_join(struct osw_communicator_state *s, void *base,
                           uint32_t rank, uint32_t size, bool one_node);

/* Of the first member that ended, its rank + 1; 0: none has. */
uint32_t osw_communicator_ended(const struct osw_communicator_state *s);

#endif /* OSW_WORKER_SANDBOX_COMMUNICATOR_H */
