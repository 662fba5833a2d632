/* mpi_runner/ranks/launch.h - being started by an MPI launcher, or being one
 *
 * `opsweep run` outside mpirun and srun starts itself again under
 *     mpirun --enable-recovery -n N ...
 * which survives the loss of a rank.  The exit status of such an mpirun is
 * always 0, so rank 0 leaves the campaign's own in a small file
 * (launch_note.h).
 */
#ifndef OSW_MPI_RUNNER_LAUNCH_H
#define OSW_MPI_RUNNER_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* Looks up a variable of the environment: getenv(), or a table in tests. */
typedef const char *(*osw_getenv_f)(const char *name);

/* How many ranks the launcher that started this process made; 0 when none
 * did, or -1 with err set (OSW_BAD_INPUT): srun without an MPI that it could
 * join, where every task would run the whole campaign.
 */
int osw_launch_n_ranks(osw_getenv_f get, struct osw_error *err) OSW_MUST_CHECK;

/* Is this process the only task of a Slurm step with PMIx that no script of
 * ours began?  An interactive shell in a step (srun --pty bash) looks like
 * that, so that more ranks may be started from it.
 */
bool osw_launch_is_lone(osw_getenv_f get);

/* GPUs that a process may see: those it was given (the value of
 * CUDA_VISIBLE_DEVICES; NULL or "": any), else those in the folder `dev`.
 */
uint32_t osw_launch_count_gpus(const char *given, const char *dev);

/* Default number of ranks: a coordinator and a worker per core, at most four;
 * on GPUs a worker each, and one process in all for a single one.  Without
 * GPUs, and as the only task of a Slurm step, one process.
 */
uint32_t osw_launch_default_ranks(const char *device);

/* Run `argv` (the whole command line; its first word is replaced by this very
 * program) on n ranks and wait.  Signals that ask to stop are passed on.
 * `input`: rank 0 gets our standard input, else none.
 *
 * Returns the campaign's exit code, or -1 with err set:
 *   OSW_BAD_INPUT   more ranks than this node could bear
 *   OSW_SYSTEM      there is no mpirun; it failed
 *   OSW_INCOMPLETE  the coordinator ended without leaving an exit code
 */
int osw_launch_run(uint32_t n, int argc, const char *const *argv, bool input,
                   struct osw_error *err) OSW_MUST_CHECK;

/* From now on count SIGINT, SIGTERM, SIGHUP and SIGUSR1 (by which
 * osw_launch_run() passes them on) instead of dying of them; the third one
 * ends the process.
 */
const volatile sig_atomic_t *osw_launch_count_stops(void);

/* Be killed when the mpirun ends that started this process: it may be killed
 * itself, while this rank hangs and would stay.  Not for rank 0, which saves.
 */
void osw_launch_end_with_mpirun(void);

/* End this process at once, where MPI cannot be finalized, by the exit code
 * `rc`, or by that of err, which is logged, where rc is -1.
 */
_Noreturn void osw_launch_leave(int rc, const struct osw_error *err);

#endif /* OSW_MPI_RUNNER_LAUNCH_H */
