/* mpi_runner/generate/final.h - the last campaign, and what a run comes to
 *
 * Finalists meet on a new seed, in fresh processes, on all cases, those held
 * out among them.  Only its figures count: the best of many attempts owes part
 * of its lead in the waves to chance.
 *
 * Upstream: drive.h.  Downstream: summary.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_FINAL_H
#define OSW_MPI_RUNNER_GENERATE_FINAL_H

#include <signal.h>

#include "mpi_runner/generate/ask/api.h"
#include "mpi_runner/generate/lang.h"
#include "mpi_runner/generate/search.h"
#include "mpi_runner/generate/tasks.h"
#include "mpi_runner/generate/wave.h"

enum { OSW_FINAL_MAX = 3 }; /* finalists of an op */

/* Names in the run's folder: the last campaign, and its result file, which
 * rows.h makes of that.
 */
#define OSW_FINAL_WAVE ".waves/last"
#define OSW_FINAL_FILE "run"

struct osw_drive_config {
    struct osw_search_rules rules;
    const struct osw_lang *lang;
    const struct osw_api *api;
    struct osw_api_config api_config;
    const char *templates; /* NULL: ours */
    size_t concurrency;    /* requests under way, at most */
    struct osw_price price;
    double max_cost; /* 0: any */
    bool send_output;
    bool sanitize;   /* crashes */
    bool profile;    /* right code, by ncu */
    bool unisolated; /* tools that cannot reach isolated code run it without */
    const volatile sig_atomic_t *n_stop; /* requests to stop */
};

/* An implementation in the last campaign. */
struct osw_finalist {
    uint32_t number;
    char impl[OSW_WAVE_MAX_NAME];
    struct osw_attempt_verdict verdict; /* over all cases, those held out too */
    uint32_t n_held_out, n_held_out_passed;
};

/* What came of one op. */
struct osw_drive_op {
    const struct osw_task *task;
    struct osw_asked_op *log;
    const char *why; /* it stopped; static */
    struct osw_finalist finalists[OSW_FINAL_MAX];
    size_t n_finalists;
    int chosen; /* of the finalists; -1: none is right */
};

struct osw_drive_result {
    struct osw_drive_op *ops; /* [tasks->n] */
    size_t n_waves;
    bool out_of_money; /* or the API ended it: `why` */
    char why[OSW_ASKED_MAX_WORDS];
    double judge_s, wall_s; /* campaigns ran; all together */
    bool judged;            /* the last campaign ran; else its file was there */
};

/* Judge them, or read the result of an earlier session where there is one.
 * Returns 0, or -1 with err set.
 */
int osw_final_run(const struct osw_drive_config *config,
                  const struct osw_tasks *tasks, osw_asked_t *asked,
                  struct osw_subrun_series *series,
                  struct osw_drive_result *result,
                  struct osw_error *err) OSW_MUST_CHECK;

/* The chosen one: of those that pass every cell the first whose speedup is
 * highest; -1: none does.  Pure.
 */
int osw_final_choose(const struct osw_finalist *finalists, size_t n);

/* Can their speedups be told apart: do the intervals not overlap?  Pure. */
bool osw_final_told_apart(const struct osw_finalist *a,
                          const struct osw_finalist *b);

#endif /* OSW_MPI_RUNNER_GENERATE_FINAL_H */
