/* mpi_runner/ranks/peers_receive.h - what follows from a worker's message
 *
 * Upstream: coordinator.c.  Downstream: peers.h.
 */
#ifndef OSW_MPI_RUNNER_PEERS_RECEIVE_H
#define OSW_MPI_RUNNER_PEERS_RECEIVE_H

#include <stdbool.h>

#include "mpi_runner/ranks/peers.h"

/* Take the messages that came; returns whether there were any. */
bool osw_peers_receive(struct osw_peers *c);

#endif /* OSW_MPI_RUNNER_PEERS_RECEIVE_H */
