/* mpi_runner/batch/queue.h - jobs in Slurm's queue, by number or by file
 *
 * Upstream: `opsweep submit`, `opsweep cancel`.  Downstream: squeue.
 */
#ifndef OSW_MPI_RUNNER_QUEUE_H
#define OSW_MPI_RUNNER_QUEUE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

enum { OSW_QUEUE_MAX_JOBS = 4096 };

/* A job, or some tasks of an array: what squeue says of it. */
struct osw_queue_job {
    const char *id, *state, *elapsed, *comment;
};

struct osw_queue {
    size_t n;
    struct osw_queue_job *items; /* they live in the arena */
};

/* The jobs of that number that have not ended: all tasks of an array.  Blocks
 * until Slurm answers, or says that its controller does not.  Returns 0, with
 * none in *out when they have ended, or -1 with err set: OSW_BAD_INPUT (no such
 * job), OSW_SYSTEM (squeue is missing or fails), OSW_NO_MEMORY.
 */
int osw_queue_find_id(osw_arena_t *arena, const char *id, struct osw_queue *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* The user's own jobs that write the file `path`, by their comments: of an
 * array its tasks, and the job that merges only once these have ended.  As
 * osw_queue_find_id(); OSW_BAD_INPUT: the file's folder is not there.
 */
int osw_queue_find_file(osw_arena_t *arena, const char *path,
                        struct osw_queue *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Fail where a job in the queue writes `path` (OSW_BAD_INPUT).  A queue that
 * cannot be read is no reason to fail: sbatch will say why.
 */
int osw_queue_check_free(osw_arena_t *arena, const char *path,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_QUEUE_H */
