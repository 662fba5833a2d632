/* mpi_runner/batch/slurm.h - programs of Slurm, and what they say
 *
 * Upstream: `opsweep submit`, `opsweep cancel`, `opsweep status JOB`.
 */
#ifndef OSW_MPI_RUNNER_SLURM_H
#define OSW_MPI_RUNNER_SLURM_H

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"

/* What one of its programs said. */
struct osw_slurm_answer {
    struct osw_text out; /* standard output, then standard error */
    int exit_code;       /* -1: ended by a signal */
};

/* Run argv, which ends in NULL, with `input` on its standard input (NULL:
 * nothing), and collect what it says, 1 MiB at most.  Blocks until it ends.
 * The caller frees answer->out, also after a failure.  Returns 0, or -1 with
 * err set to OSW_SYSTEM (it is not in PATH, or cannot be started),
 * OSW_NO_MEMORY.
 */
int osw_slurm_call(const char *const *argv, const char *input,
                   struct osw_slurm_answer *answer,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Hand a batch script to sbatch, and the n_words options that were given for
 * it: variables such as SBATCH_PARTITION override those that only the script
 * has. Returns the job's number, which lives in the arena, or NULL with err
 * set: as osw_slurm_call() and osw_slurm_refuse().
 */
const char *osw_slurm_submit(osw_arena_t *arena, const char *script,
                             const char *const *words, size_t n_words,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Fail with Slurm's own words and what to change: -1, with err set to
 * OSW_BAD_INPUT, or OSW_SYSTEM where Slurm itself does not work.  `what`: what
 * was asked of it.
 */
int osw_slurm_refuse(const char *what, const char *words,
                     struct osw_error *err);

#endif /* OSW_MPI_RUNNER_SLURM_H */
