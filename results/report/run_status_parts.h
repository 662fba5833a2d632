/* results/report/run_status_parts.h - what reading a journal and reading a file
 * share
 *
 * Private to run_status.c and run_status_file.c.
 */
#ifndef OSW_RESULTS_REPORT_RUN_STATUS_PARTS_H
#define OSW_RESULTS_REPORT_RUN_STATUS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/file/file.h"
#include "results/journal/dict.h"

struct osw_run_status;

/* A cell that failed. */
struct osw_run_failed {
    uint64_t cell;
    uint32_t op, impl, reason; /* in the dictionaries */
    uint8_t state;
};

/* What a worker is, by rank. */
enum osw_run_worker {
    OSW_RUN_WORKER_ABSENT,
    OSW_RUN_WORKER_JUDGING,
    OSW_RUN_WORKER_LEFT_OUT,
    OSW_RUN_WORKER_LOST
};

/* A journal, or a file, while it is read. */
struct osw_run_looking {
    struct osw_run_status *out;
    osw_dicts_t *dicts; /* of a journal, */
    osw_file_t *file;   /* or the file */
    float *samples;     /* [OSW_RECORD_MAX_SAMPLES], for the decoder */
    uint8_t *states;    /* [n_numbers] of cells; AGAIN: see judge_again() */
    uint64_t n_numbers, n_again;
    struct osw_run_failed *failed; /* [n_failed] */
    size_t n_failed, size_failed;
    int64_t *ends; /* [n_ends] of cells that workers judged in the session */
    size_t n_ends, size_ends;
    uint8_t *workers; /* [n_ranks] enum osw_run_worker */
    size_t n_ranks;
    int64_t t_start_ns, t_last_ns; /* of the session; the last thing in it */
    bool ended, complete, sealed;
    char lost[300];
    char uuid[37]; /* of the journal's run */
};

int osw_run_status_no_memory(struct osw_error *err);

/* Keep a cell in group fail or error; add up those that were kept. */
int osw_run_status_note_failed(struct osw_run_looking *l,
                               const struct osw_run_failed *failed,
                               struct osw_error *err) OSW_MUST_CHECK;
int osw_run_status_sum_failures(struct osw_run_looking *l,
                                struct osw_error *err) OSW_MUST_CHECK;

/* Has each planned cell a verdict? */
bool osw_run_status_is_judged(const struct osw_run_status *status);

/* Note what a worker is; count workers by what they are. */
int osw_run_status_set_worker(struct osw_run_looking *l, int32_t rank,
                              enum osw_run_worker state,
                              struct osw_error *err) OSW_MUST_CHECK;
void osw_run_status_sum_workers(struct osw_run_looking *l);

/* Read the result file `path` into l->out. */
int osw_run_status_load_file(struct osw_run_looking *l, const char *path,
                             struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPORT_RUN_STATUS_PARTS_H */
