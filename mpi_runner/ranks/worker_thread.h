/* mpi_runner/ranks/worker_thread.h - a worker rank as a thread of this process
 *
 * Upstream: cmd_run.c, where one process is both ranks.
 */
#ifndef OSW_MPI_RUNNER_WORKER_THREAD_H
#define OSW_MPI_RUNNER_WORKER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "common/error.h"
#include "mpi_runner/transport/transport.h"

/* Serve rank 0 at the other end; the thread closes the transport.  Returns 0,
 * or -1 with err set: OSW_SYSTEM.
 */
int osw_worker_thread_start(pthread_t *thread, struct osw_transport *transport,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Wait for its end; for a second at most when it is `lost`: a worker that was
 * sent off in the middle of a bundle gets a moment to clear up.  false: it may
 * still run.
 */
bool osw_worker_thread_join(pthread_t thread, bool lost);

#endif /* OSW_MPI_RUNNER_WORKER_THREAD_H */
