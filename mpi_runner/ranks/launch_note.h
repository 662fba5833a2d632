/* mpi_runner/ranks/launch_note.h - what rank 0 leaves for the process that
 * started the ranks
 *
 * OPSWEEP_OUTCOME names the file of its exit code: under --enable-recovery that
 * of mpirun is always 0.  Beside it, in "<that>.pid", lies "PID HOST PATIENCE",
 * "started" once all ranks are there, and the name of the result file once its
 * journal is there.  Without that variable, and in other
 * ranks, there is nothing to leave.
 *
 * Upstream: cmd_run.c leaves, launch.c and launch_wait.c read;
 * slurm/opsweep.sbatch does, too.
 */
#ifndef OSW_MPI_RUNNER_LAUNCH_NOTE_H
#define OSW_MPI_RUNNER_LAUNCH_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

extern const char osw_launch_note_variable[];

/* --- by rank 0 --- */

/* Its exit code. */
int osw_launch_note_leave_code(int code, struct osw_error *err) OSW_MUST_CHECK;

/* Its pid, to which SIGUSR1 is sent to ask it to stop, and how long the other
 * ranks wait for a word of it before they end.
 */
void osw_launch_note_leave_pid(double patience_s);

/* All ranks are there.  A job of which this is not said did nothing, and is
 * started a second time.
 */
void osw_launch_note_leave_started(void);

/* The result file of the campaign that has begun. */
void osw_launch_note_leave_file(const char *file);

/* --- by the process that started the ranks --- */

/* Make the file, under a new name in `path`, with room for an exit code: a disk
 * that is full later does not matter.
 */
int osw_launch_note_make(char *path, size_t size,
                         struct osw_error *err) OSW_MUST_CHECK;
void osw_launch_note_remove(const char *path);

/* The exit code, 0 to 255; -1: none yet. */
int osw_launch_note_code(const char *path);

/* Rank 0's process, while it runs, on this node; 0: it has ended, or is not
 * known.  What it said of its patience goes to *patience_s.
 */
pid_t osw_launch_note_coordinator(const char *path, unsigned *patience_s);

/* The result file of the last campaign that rank 0 began, where it ran on this
 * node; "": it is not known.
 */
void osw_launch_note_file(const char *path, char *file, size_t size);

/* Rank 0 ran on this node, and never met the other ranks. */
bool osw_launch_note_failed_to_start(const char *path);

#endif /* OSW_MPI_RUNNER_LAUNCH_NOTE_H */
