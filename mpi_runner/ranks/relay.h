/* mpi_runner/ranks/relay.h - messages of a gang's op code between nodes
 *
 * Each node of the gang has a segment (worker/segment.h).  A ring from a rank
 * of one node to a rank of another is in both.  The worker of the sending rank
 * hands on what is written to its node's ring; the worker of the receiving rank
 * writes that to its own, and tells how much its rank has read, which then
 * counts as read in the first.  So a send waits as it does on one node, and no
 * more than a ring's bytes are on their way.
 *
 * A segment can be written and cut by op code.  What makes no sense there ends
 * the gang's communication on all nodes, as a rank that has ended does.
 *
 * Pure but for the segment.
 *
 * Upstream: rank_relay.c, which carries parcels over MPI.
 */
#ifndef OSW_MPI_RUNNER_RELAY_H
#define OSW_MPI_RUNNER_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/msg.h"

/* What is known of the two rings between this rank and another one. */
struct osw_relay_way {
    uint64_t sent;  /* of the ring to it: bytes handed on */
    uint64_t acked; /* ... of which it has read */
    uint64_t put;   /* of the ring from it: bytes written here */
    uint64_t told;  /* ... of which it was told that they were read */
    uint32_t ended; /* as it was told: see struct osw_segment_head */
};

struct osw_relay {
    void *base; /* of this node's segment; NULL: none */
    uint32_t rank, size;
    struct osw_relay_way ways[OSW_GANG_MAX];
    unsigned char room[OSW_MSG_MAX_CHUNK]; /* of a parcel's bytes */
};

/* Begin with a new segment of a gang of that size, before a sandbox uses it.
 * The descriptor stays the caller's.  0, or -1 with err (OSW_SYSTEM).
 */
int osw_relay_open(struct osw_relay *r, int fd, uint32_t rank, uint32_t size,
                   struct osw_error *err) OSW_MUST_CHECK;
void osw_relay_close(struct osw_relay *r); /* also of what was not opened */

/* Is there something to say to the worker of rank `to`?  Then *m is it, but for
 * gang and cell; its bytes are borrowed until the next call.
 */
bool osw_relay_next(struct osw_relay *r, uint32_t to, struct osw_msg_flow *m);

/* What the worker of rank `from` said. */
void osw_relay_take(struct osw_relay *r, uint32_t from,
                    const struct osw_msg_flow *m);

#endif /* OSW_MPI_RUNNER_RELAY_H */
