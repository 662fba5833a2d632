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

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum {
    OSW_GANG_MAX = 64,          /* members */
    OSW_GANG_MAX_EXCHANGE = 48, /* bytes of one member in one exchange */
};

struct osw_gang {
    uint64_t id;     /* of this attempt at the cell; the same for all members */
    uint32_t rank;   /* 0 to size - 1 */
    uint32_t size;   /* 2 to OSW_GANG_MAX */
    uint32_t leader; /* the lowest rank of this one's node */
    bool one_node;   /* all members are processes of one node */

    /* Give `mine` [bytes] to all members and get `all` [size][bytes], by rank.
     * Every member calls it as many times, with the same `bytes`.  Blocks until
     * all have, deadline_ns (osw_clock_ns) at most.  Returns 0, or -1 with err
     * set: OSW_TIMEOUT or OSW_CHILD (a member is lost); then no further
     * exchange of this gang succeeds.
     */
    int (*exchange)(void *arg, const void *mine, uint32_t bytes, void *all,
                    int64_t deadline_ns, struct osw_error *err);
    void *arg;

    /* (optional) A descriptor of the memory by which the op code of this cell
     * communicates (segment.h), for the gang's owner, which adopts it: to end
     * that when a member is lost, and to carry messages between nodes.  All
     * members take those of the gang's cells in the same order.
     */
    void (*take_segment)(void *arg, int fd);

    /* (optional) How many such messages between nodes it has carried, while a
     * judge that waits ticks: what it counts after one it will soon count
     * again.  NULL: it carries none.
     */
    const uint64_t *n_carried;
};

#endif /* OSW_WORKER_GANG_H */
