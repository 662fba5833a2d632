/* worker/gang.h - ranks that judge one cell of a collective op together
 *
 * Each member judges what its own rank of the op leaves.  Members decide
 * together: after each step they exchange a few bytes, and all of them go on by
 * what all of them said.
 *
 * Upstream: mpi_runner's worker loop, which carries the bytes through the
 * coordinator.  Downstream: worker/judge.
 */
#ifndef OSW_WORKER_GANG_H
#define OSW_WORKER_GANG_H

#include <stdint.h>

#include "common/error.h"

enum {
    OSW_GANG_MAX = 64,          /* members */
    OSW_GANG_MAX_EXCHANGE = 48, /* bytes of one member in one exchange */
};

struct osw_gang {
    uint64_t id;   /* of this attempt at the cell; the same for all members */
    uint32_t rank; /* 0 to size - 1 */
    uint32_t size; /* 2 to OSW_GANG_MAX */
    int one_node;  /* all members are processes of one node */

    /* Give `mine` [bytes] to all members and get `all` [size][bytes], by rank.
     * Every member calls it as many times, with the same `bytes`.  Blocks until
     * all have, deadline_ns (osw_clock_ns) at most.  Returns 0, or -1 with err
     * set: OSW_TIMEOUT or OSW_CHILD (a member is lost); then no further
     * exchange of this gang succeeds.
     */
    int (*exchange)(void *arg, const void *mine, uint32_t bytes, void *all,
                    int64_t deadline_ns, struct osw_error *err);
    void *arg;

    /* Where the judge leaves a descriptor of the memory by which the op code of
     * this cell communicates (segment.h), so that it is ended when a member is
     * lost; the gang's owner closes it.  -1: there is none; NULL: nowhere.
     */
    int *segment_fd;
};

#endif /* OSW_WORKER_GANG_H */
