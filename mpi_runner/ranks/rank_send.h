/* mpi_runner/ranks/rank_send.h - messages of a worker rank, out
 *
 * Upstream: rank_messages.h, rank_objects.c.
 */
#ifndef OSW_MPI_RUNNER_RANK_SEND_H
#define OSW_MPI_RUNNER_RANK_SEND_H

#include "mpi_runner/ranks/rank.h"

/* Did something fail that ends the rank? */
bool osw_rank_failed(const struct osw_rank *l);

/* Queue a message for the coordinator. */
void osw_rank_post(struct osw_rank *l, const struct osw_msg *msg);

/* Hand what is queued to the transport; `all`: also what may wait for more. */
void osw_rank_flush(struct osw_rank *l, bool all);

#endif /* OSW_MPI_RUNNER_RANK_SEND_H */
