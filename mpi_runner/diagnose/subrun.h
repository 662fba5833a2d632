/* mpi_runner/diagnose/subrun.h - a campaign of our own, run by this very
 * program
 *
 * Upstream: confirm, `opsweep repeat`, `opsweep generate`.  Downstream:
 * `opsweep run`.
 */
#ifndef OSW_MPI_RUNNER_SUBRUN_H
#define OSW_MPI_RUNNER_SUBRUN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

/* Write a campaign's JSON.  0, or -1 with err set to OSW_SYSTEM. */
int osw_subrun_write(const char *path, const char *json,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Run the campaign of that file into the result file `file`, replacing it;
 * what it says goes to the file `log`.  Cells may fail.  Blocks; once *n_stop
 * (NULL: never) is not 0, the run is ended, too.  0, or -1 with err set:
 * OSW_INCOMPLETE when it ended otherwise, OSW_SYSTEM.
 */
int osw_subrun(const char *campaign, const char *file, const char *log,
               const volatile sig_atomic_t *n_stop,
               struct osw_error *err) OSW_MUST_CHECK;

/* Ranks that stay, and judge one campaign after another: `opsweep run
 * --series`.
 */
struct osw_subrun_series {
    pid_t pid; /* -1: there are none now */
    int to, from;
    char log[PATH_MAX];
    char line[64]; /* of what they say, as far as it came */
    size_t n;
};

#define OSW_SUBRUN_SERIES_INIT                                                 \
    {                                                                          \
        .pid = -1, .to = -1, .from = -1                                        \
    }

/* Have a campaign judged into the file that it names as its output, without
 * blocking; the one before has ended.  Ranks are started where there are none;
 * what they say goes to the file `log`.  Returns 0, or -1 with err set.
 */
int osw_subrun_series_start(struct osw_subrun_series *series,
                            const char *campaign, const char *log,
                            struct osw_error *err) OSW_MUST_CHECK;

/* 0 while it is judged; 1 when it ended well or no cell could be judged
 * (`unsupported`); or -1 as osw_subrun().
 */
int osw_subrun_series_poll(struct osw_subrun_series *series,
                           struct osw_error *err) OSW_MUST_CHECK;

/* End a campaign that is being judged: as by a first Ctrl-C. */
void osw_subrun_series_stop(const struct osw_subrun_series *series);

/* End the ranks, and wait for that. */
void osw_subrun_series_end(struct osw_subrun_series *series);

/* The last line of a log that begins with "opsweep: ", without that; else its
 * last line; "" when there is none.
 */
void osw_subrun_last_line(const char *log, char *out, size_t size);

/* Run this very program with these words, up to a NULL, and wait; what it says
 * goes to the file `log`.  It is ended after limit_s seconds, or when *n_stop
 * is not 0.  Returns its exit code, or -1 with err set: OSW_CHILD when it ended
 * otherwise, OSW_SYSTEM.
 */
int osw_subrun_command(const char *const *words, const char *log,
                       double limit_s, const volatile sig_atomic_t *n_stop,
                       struct osw_error *err) OSW_MUST_CHECK;

/* The same without waiting; what it says is added to the file `log`.  Returns
 * the process, for osw_subrun_ended() or osw_subrun_end(); or -1 with err set.
 */
pid_t osw_subrun_begin(const char *const *words, const char *log,
                       struct osw_error *err) OSW_MUST_CHECK;
/* Has it ended? */
bool osw_subrun_ended(pid_t pid);
/* End it, and wait for that; -1 is ignored. */
void osw_subrun_end(pid_t pid);

#endif /* OSW_MPI_RUNNER_SUBRUN_H */
