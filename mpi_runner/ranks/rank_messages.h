/* mpi_runner/ranks/rank_messages.h - messages of a worker rank, in
 *
 * Upstream: worker_loop.c.
 */
#ifndef OSW_MPI_RUNNER_RANK_MESSAGES_H
#define OSW_MPI_RUNNER_RANK_MESSAGES_H

#include "mpi_runner/ranks/rank_send.h"

/* Free a list of messages; it is empty then. */
void osw_rank_free_kept(struct osw_rank_kept **list);

/* Take messages, send heartbeats, notice silence.  Returns whether something
 * came.
 */
bool osw_rank_pump(struct osw_rank *l);

/* Was this process asked to stop?  Then it begins nothing more. */
void osw_rank_heed_signals(struct osw_rank *l);

/* What a judge at work calls, with the rank as `arg`. */
void osw_rank_tick(void *arg);

#endif /* OSW_MPI_RUNNER_RANK_MESSAGES_H */
