/* mpi_runner/batch/job_comment.h - the comment of a job: which file it writes,
 * and how far it is
 *
 * Slurm shows it (squeue --format=%k), so that a job is found by its file, and
 * the file by its job.  "opsweep:/home/me/run.h5" when it is submitted; while
 * it runs the batch script makes it "opsweep 37 % 120/324
 * cells:/home/me/run.h5", and "opsweep stops:/home/me/run.h5" once it was asked
 * to stop.
 *
 * Upstream: `opsweep submit` makes it.  Downstream: `opsweep cancel`, `status`.
 */
#ifndef OSW_MPI_RUNNER_JOB_COMMENT_H
#define OSW_MPI_RUNNER_JOB_COMMENT_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/error.h"

/* "opsweep:/home/me/run.h5"; the folder of `path` may be given in any way.
 * NULL with err set: OSW_BAD_INPUT (no such folder), OSW_NO_MEMORY.
 */
const char *osw_job_comment(osw_arena_t *arena, const char *path,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Of an array, whose task %a writes a shard of the file of `comment`.  NULL: no
 * memory.
 */
const char *osw_job_comment_shards(osw_arena_t *arena, const char *comment);

/* Is the job one of ours, with a file or without? */
bool osw_job_comment_is_ours(const char *comment);

/* Has the script of the job heard that it is to stop? */
bool osw_job_comment_stops(const char *comment);

/* The file in a comment of ours, after its first colon; NULL: none.  Borrowed.
 */
const char *osw_job_comment_file(const char *comment);

#endif /* OSW_MPI_RUNNER_JOB_COMMENT_H */
