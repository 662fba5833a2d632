/* mpi_runner/ranks/rank_relay.h - a worker rank carries what its sandbox sends
 * to ranks of other nodes, and what they send to it
 *
 * From worker to worker, over the job's transport, whenever the rank ticks.
 *
 * Upstream: rank_gang.c.  Downstream: relay.h.
 */
#ifndef OSW_MPI_RUNNER_RANK_RELAY_H
#define OSW_MPI_RUNNER_RANK_RELAY_H

#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"

struct osw_rank_relay;

/* For the gang of a bundle, whose message stays as long; *n_carried goes up
 * with each parcel that is sent or taken.  The caller owns it; NULL: there is
 * no memory.
 */
struct osw_rank_relay *osw_rank_relay_create(struct osw_transport *t,
                                             const struct osw_msg_bundle *b,
                                             uint64_t *n_carried);
void osw_rank_relay_destroy(struct osw_rank_relay *r); /* NULL is ignored */

/* The next cell begins, with a segment that stays the caller's.  Those before
 * it may go on.
 */
int osw_rank_relay_next_cell(struct osw_rank_relay *r, int fd,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Send what there is, as much as the transport takes.  -1 with err: a member
 * cannot be reached.
 */
int osw_rank_relay_send(struct osw_rank_relay *r,
                        struct osw_error *err) OSW_MUST_CHECK;

/* A frame of the job's rank `peer`.  What is of another gang is ignored. */
void osw_rank_relay_receive(struct osw_rank_relay *r, int peer,
                            const void *frame, size_t n);

#endif /* OSW_MPI_RUNNER_RANK_RELAY_H */
