/* mpi_runner/transport/transport_start.h - a transport, opened within a time
 *
 * MPI waits for ever for a rank that dies while all start.
 *
 * Upstream: cmd_run.c.  Downstream: transport.h.
 */
#ifndef OSW_MPI_RUNNER_TRANSPORT_START_H
#define OSW_MPI_RUNNER_TRANSPORT_START_H

#include "common/error.h"
#include "mpi_runner/transport/transport.h"

/* Open the transport of n_ranks: MPI, or of one the loop between two threads;
 * see their open().  When that takes longer than a minute and a second for each
 * of n_ranks, or than ten times silence_s, the process says so and ends.  Uses
 * SIGALRM.
 */
int osw_transport_start(int n_ranks, double silence_s,
                        struct osw_transport **out,
                        struct osw_transport **other,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_TRANSPORT_START_H */
