/* mpi_runner/generate/drive_parts.h - what the files of the loop share
 *
 * Upstream: drive.c, which holds the loop; drive_answers.c, from answers to
 * code that can be judged.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_DRIVE_PARTS_H
#define OSW_MPI_RUNNER_GENERATE_DRIVE_PARTS_H

#include "common/text.h"
#include "mpi_runner/generate/ask/asker.h"
#include "mpi_runner/generate/build_ahead.h"
#include "mpi_runner/generate/explain.h"
#include "mpi_runner/generate/final.h"

enum { OSW_DRIVE_MAX_TEXT = 4 * 1024 * 1024 };

/* Beside what is in the asked. */
struct op_state {
    char *plain[OSW_ATTEMPT_MAX + 1]; /* digests of sources, by attempt */
    char *impls[OSW_ATTEMPT_MAX + 1]; /* names of what waits for the judge */
    /* Cells, by attempt, that are looked into once a prompt is on it. */
    struct osw_explain_cell *unexplained[OSW_ATTEMPT_MAX + 1];
    size_t n_ready;
    char *cases; /* as prompts list them; NULL: not measured yet */
};

struct drive {
    const struct osw_drive_config *config;
    const struct osw_tasks *tasks;
    osw_asked_t *asked;
    struct osw_drive_result *result;
    struct op_state *states; /* [tasks->n] */
    struct osw_asker asker;
    struct osw_subrun_series series;
    struct osw_build_ahead ahead;
    struct osw_wave wave;
    size_t wave_number;
    bool judging;
    bool sanitizes, profiles; /* with tools that can watch code here */
    char *device; /* as prompts name it; NULL: nothing was measured yet */
    int64_t wave_start_ns;
    struct osw_error *err;
};

/* "relu__default/attempts/007" */
void osw_drive_folder(const struct osw_task *task, uint32_t number,
                      char out[OSW_API_MAX_PATH]);

/* Files of an attempt: write bytes, or a text, which is freed (neither is
 * synced: osw_asked_write()); read one, the caller's to free.  Return 0, or -1
 * with d->err set.
 */
int osw_drive_put(struct drive *d, const struct osw_task *task, uint32_t number,
                  const char *file, const char *bytes, size_t n) OSW_MUST_CHECK;
int osw_drive_put_text(struct drive *d, const struct osw_task *task,
                       uint32_t number, const char *file,
                       struct osw_text *text) OSW_MUST_CHECK;
int osw_drive_get(struct drive *d, const struct osw_task *task, uint32_t number,
                  const char *file, char **bytes, size_t *n) OSW_MUST_CHECK;
/* "kernel.c" */
void osw_drive_kernel_file(const struct drive *d, char out[32]);

/* Note what became of an attempt of op i, and tell it as feedback. */
int osw_drive_end_attempt(struct drive *d, size_t i, struct osw_attempt *end,
                          const struct osw_judged_cell *cells,
                          size_t n) OSW_MUST_CHECK;

/* Which cell of an attempt of the wave that was read tells why it fails, or is
 * slow: for later; then add that to the feedback, which blocks.
 */
int osw_drive_note_cell(struct drive *d, size_t i,
                        const struct osw_wave_item *item) OSW_MUST_CHECK;
int osw_drive_explain(struct drive *d, size_t i,
                      uint32_t number) OSW_MUST_CHECK;

/* Take replies of the asker, and wait for one at most so long.  0 or -1. */
int osw_drive_take_replies(struct drive *d, int wait_ms) OSW_MUST_CHECK;

/* Answers of an earlier session that were not judged; digests of sources. */
int osw_drive_take_up(struct drive *d) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_DRIVE_PARTS_H */
