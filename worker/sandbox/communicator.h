/* worker/sandbox/communicator.h - messages between the sandboxes of a gang
 *
 * Upstream: loop.c joins a gang; session.c hands it to op code.
 */
#ifndef OSW_WORKER_SANDBOX_COMMUNICATOR_H
#define OSW_WORKER_SANDBOX_COMMUNICATOR_H

#include <opsweep/collective.h>

#include "worker/segment.h"

struct osw_communicator_state {
    osw_communicator face; /* what op code sees */
    unsigned char *base;   /* of the segment; NULL: no gang */
    void (*say)(void *arg, const char *text); /* why a message failed */
    void *say_arg;
};

/* Communicate as that rank by a segment, mapped at `base`. */
void osw_communicator_join(struct osw_communicator_state *s, void *base,
                           uint32_t rank, uint32_t size);

#endif /* OSW_WORKER_SANDBOX_COMMUNICATOR_H */
