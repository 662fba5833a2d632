/* mpi_runner/sched/exchange.h - what the members of a gang tell each other, one
 * exchange after the other
 *
 * Pure: parts in, all parts out.  A member gives its part of the next exchange
 * after it got all of the last one, so at most one is collected at a time.
 *
 * Upstream: peers_gang.c.
 */
#ifndef OSW_MPI_RUNNER_EXCHANGE_H
#define OSW_MPI_RUNNER_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "worker/gang.h"

struct osw_exchange {
    uint32_t size;   /* members */
    uint32_t number; /* of the exchange that is collected, from 1 */
    uint32_t n_have; /* parts of it */
    uint32_t bytes;  /* of each */
    uint64_t have;   /* bit r: that of rank r */
    unsigned char parts[OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE]; /* by rank */
};

/* Begin with the first exchange of 1 to OSW_GANG_MAX members. */
void osw_exchange_init(struct osw_exchange *x, uint32_t size);

/* Take a member's part (rank < size, bytes <= OSW_GANG_MAX_EXCHANGE).  Returns
 * 1 when all have come: parts [size][bytes] are to be read before the next
 * call; 0 when some are missing; or -1 with err set, and the exchange as it
 * was: OSW_PROTOCOL  a part of another exchange, a second one, or one of other
 * size
 */
int osw_exchange_add(struct osw_exchange *x, uint32_t rank, uint32_t number,
                     const void *part, uint32_t bytes,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Does a member wait for others? */
bool osw_exchange_is_open(const struct osw_exchange *x);

#endif /* OSW_MPI_RUNNER_EXCHANGE_H */
