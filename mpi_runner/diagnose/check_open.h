/* mpi_runner/diagnose/check_open.h - what opsweep check opens: an op's folder,
 * and a worker
 *
 * Upstream: commands/cmd_check.c.  Downstream: ops/catalog, ops/cases, worker.
 */
#ifndef OSW_MPI_RUNNER_DIAGNOSE_CHECK_OPEN_H
#define OSW_MPI_RUNNER_DIAGNOSE_CHECK_OPEN_H

#include "common/arena.h"
#include "ops/cases/gen_input.h"
#include "ops/catalog/op.h"
#include "worker/worker.h"

/* The op of a folder and its cases, in `memory`.  Code may make cases:
 * campaign/expand.h.  -1 with err set: OSW_NOTHING if the folder is no op's.
 */
int osw_check_load(osw_arena_t *memory, const char *device, const char *dir,
                   struct osw_op *op, struct osw_gen_cases *cases,
                   struct osw_error *err) OSW_MUST_CHECK;

/* A worker for folders of any number, one after the other.  NULL with err set.
 */
osw_worker_t *osw_check_worker(const char *device, uint64_t seed,
                               double timeout_s,
                               struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_DIAGNOSE_CHECK_OPEN_H */
