/* mpi_runner/ranks/rank_gang.h - a worker rank as a member of a gang
 *
 * What members tell each other goes through the coordinator.  A judge that
 * waits for the others keeps messages and heartbeats moving.
 *
 * Upstream: rank_bundles.c, rank_messages.c.  Downstream: worker/gang.h.
 */
#ifndef OSW_MPI_RUNNER_RANK_GANG_H
#define OSW_MPI_RUNNER_RANK_GANG_H

#include "mpi_runner/ranks/rank.h"

/* The gang of a bundle that is begun, for the judge, until it ends; NULL: it
 * has none.  While the judge waits, `tick` (with the rank) takes messages.
 */
const struct osw_gang *osw_rank_gang_begin(struct osw_rank *l,
                                           const struct osw_msg_bundle *b,
                                           void (*tick)(void *arg));
void osw_rank_gang_end(struct osw_rank *l);

/* A bundle will not be begun.  If it is a gang's, the others need not wait;
 * they are told once the campaign stops, and nothing is sent out again.  Until
 * then this rank may be the only one that was asked to: its leaving tells them.
 */
void osw_rank_gang_refuse(struct osw_rank *l, const struct osw_msg_bundle *b);
void osw_rank_gang_stop(struct osw_rank *l);

/* Carry messages of op code between nodes: whenever the rank ticks, and a frame
 * of another worker.
 */
void osw_rank_gang_relay(struct osw_rank *l);
void osw_rank_gang_frame(struct osw_rank *l, int peer, const void *frame,
                         size_t n);

/* Messages; those of another gang are ignored. */
void osw_rank_gang_parts(struct osw_rank *l, const struct osw_msg_parts *m);
void osw_rank_gang_broken(struct osw_rank *l, const struct osw_msg_broken *m);

#endif /* OSW_MPI_RUNNER_RANK_GANG_H */
