/* mpi_runner/batch/slurm_job.h - what Slurm says of a job
 *
 * Upstream: `opsweep status JOB`.  Downstream: scontrol.
 */
#ifndef OSW_MPI_RUNNER_SLURM_JOB_H
#define OSW_MPI_RUNNER_SLURM_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

/* All tasks of the largest array, and those of it that wait, as one. */
enum { OSW_SLURM_MAX_JOBS = 1001, OSW_SLURM_MAX_PATH = 4096 };

/* Texts are "" where scontrol says nothing. */
struct osw_slurm_job {
    char id[32];    /* "12", or "12_3" of an array */
    char state[32]; /* "RUNNING" */
    char reason[120];
    char nodes[200];
    char run_time[32], time_limit[32];
    char stdout_path[OSW_SLURM_MAX_PATH];
    char file[OSW_SLURM_MAX_PATH]; /* the result file that its comment names */
};

/* "12", "12_3" or "12_[1-4]": does the word look like the number of a job? */
bool osw_slurm_is_job(const char *word);

/* A line of `scontrol --oneliner show job`.  A relative file in its comment
 * (batch/job_comment.h) is in the job's folder, and %a in it is the array's
 * task.  Pure.  False: it is no such line.
 */
bool osw_slurm_job_parse(const char *line, struct osw_slurm_job *out);

/* Ask for a job, or all jobs of an array: out[OSW_SLURM_MAX_JOBS], *n of them.
 * Blocks for 10 s at most.  Returns 0, or -1 with err set: OSW_BAD_INPUT (no
 * such job, or more than fit), OSW_SYSTEM (scontrol is missing or fails).
 */
int osw_slurm_job_ask(const char *id, struct osw_slurm_job *out, size_t *n,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_SLURM_JOB_H */
