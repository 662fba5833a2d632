/* mpi_runner/ranks/worker_loop.h - the life of a worker rank
 *
 * Says hello, makes a judge as the campaign wants it, judges bundles in the
 * order they come, sends results in batches, and leaves when told to or when
 * the coordinator fell silent.  In a series all of that begins again with the
 * next campaign; the judge stays where it would be made the same.  While a
 * bundle runs, the judge's tick keeps messages and heartbeats moving.
 *
 * Upstream: cmd_run.c.  Downstream: worker/worker.h, through a table so that
 * tests and benchmarks can judge without judging.
 */
#ifndef OSW_MPI_RUNNER_WORKER_LOOP_H
#define OSW_MPI_RUNNER_WORKER_LOOP_H

#include <stdbool.h>

#include "common/error.h"
#include "mpi_runner/ranks/worker_ops.h"
#include "mpi_runner/transport/transport.h"

/* Serve rank 0 until it says end.  Blocks.  *lost: some rank was, so that the
 * transport must be closed so.  Returns 0, or -1 with err set:
 *   OSW_TIMEOUT   the coordinator fell silent
 *   OSW_PROTOCOL  it sent a malformed message
 *   OSW_NO_MEMORY
 */
int osw_worker_loop_run(struct osw_transport *transport,
                        const struct osw_worker_ops *ops,
                        const struct osw_worker_life *life, bool *lost,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_WORKER_LOOP_H */
