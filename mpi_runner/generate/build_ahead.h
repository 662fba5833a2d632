/* mpi_runner/generate/build_ahead.h - compilers that run while a wave is judged
 *
 * Answers come while ranks judge those before.  On a GPU a compiler takes
 * longer than to judge what it made, and at the begin of a wave all ranks would
 * wait for one.  So `opsweep build` compiles what came, into the cache that the
 * ranks look into, in one process at a time.  On a processor nothing is built
 * ahead: compilers would disturb what is timed there.
 *
 * Upstream: drive.h.  Downstream: subrun.h, `opsweep build`.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_BUILD_AHEAD_H
#define OSW_MPI_RUNNER_GENERATE_BUILD_AHEAD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "mpi_runner/generate/lang.h"

struct osw_build_ahead {
    const char *device;  /* "cuda"; NULL: nothing is built ahead */
    char root[PATH_MAX]; /* of op folders */
    char log[PATH_MAX];  /* what compilers say */
    pid_t pid;           /* that builds; -1 */
    bool wanted;         /* sources came since it started */
};

/* Of a run's folder, for a device and a language; nothing is started yet. */
void osw_build_ahead_init(struct osw_build_ahead *ahead, const char *folder,
                          const char *device, const struct osw_lang *lang);

/* There are sources that no campaign has yet. */
void osw_build_ahead_want(struct osw_build_ahead *ahead);

/* Start what is wanted, once the one before has ended.  What it cannot compile
 * the campaign finds, too, and tells.
 */
void osw_build_ahead_look(struct osw_build_ahead *ahead);

/* End it. */
void osw_build_ahead_stop(struct osw_build_ahead *ahead);

#endif /* OSW_MPI_RUNNER_GENERATE_BUILD_AHEAD_H */
