/* worker/sandbox/zone_move.h - a zone of the host's memory lies elsewhere
 *
 * Calls of a case have the same addresses.  Code that keeps a pointer to an
 * argument or to workspace would be right in all of them, and wrong where it is
 * used.  So one of the calls gets its zone at another address, and what was
 * there before has no memory: an access to it is a segmentation fault.
 *
 * Upstream: loop.c, for a CASE that is `moved`.  On a device cases are shifted
 * in their zone instead.
 */
#ifndef OSW_WORKER_SANDBOX_ZONE_MOVE_H
#define OSW_WORKER_SANDBOX_ZONE_MOVE_H

#include <stdint.h>

/* Where a mapping lay before: a range of addresses that is kept free. */
struct osw_zone_move {
    void *left; /* NULL: it has not been moved */
};

/* Move a mapping of `bytes` at *base; the next time it comes back.  Where the
 * system refuses, it stays.  What is in it stays the same.
 */
void osw_zone_move(struct osw_zone_move *move, void **base, uint64_t bytes);

/* Its mapping is no more. */
void osw_zone_move_end(struct osw_zone_move *move, uint64_t bytes);

#endif /* OSW_WORKER_SANDBOX_ZONE_MOVE_H */
