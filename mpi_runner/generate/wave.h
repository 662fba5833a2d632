/* mpi_runner/generate/wave.h - campaigns over what models wrote
 *
 * A run has a root of op folders of its own, in which each op's folder has
 * links to the op's files, and beside them what was generated, as one more
 * implementation each.  A wave is a campaign of `opsweep run` over some of
 * them: on all ranks, in sandboxes, with the op's own reference.
 *
 * Upstream: drive.h.  Downstream: subrun.h, results/file.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_WAVE_H
#define OSW_MPI_RUNNER_GENERATE_WAVE_H

#include <signal.h>

#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/judged.h"
#include "mpi_runner/generate/lang.h"
#include "mpi_runner/generate/tasks.h"

/* In the run's folder; hidden, as it is no folder of kernels. */
#define OSW_WAVE_ROOT ".root"
enum { OSW_WAVE_MAX_NAME = 64 };

/* What is judged of one implementation. */
struct osw_wave_item {
    const struct osw_task *task;
    uint32_t number; /* attempt; 0: the op's own implementation */
    char impl[OSW_WAVE_MAX_NAME];
    struct osw_judged_cell *cells; /* [n_cells] once it was read */
    size_t n_cells;
};

struct osw_wave {
    const struct osw_tasks *tasks;
    osw_asked_t *asked;
    osw_arena_t *arena; /* of the cells */
    struct osw_wave_item *items;
    size_t n;
    uint64_t seed;
    bool all_cases;                   /* those held out, too */
    struct osw_subrun_series *series; /* of ranks that judge it */
    char campaign[OSW_ASKED_MAX_WORDS * 8], file[OSW_ASKED_MAX_WORDS * 8];
    const char *device; /* that it ran on, once read; "" */
};

/* Make the root for these ops.  Returns 0, or -1 with err set. */
int osw_wave_make_root(osw_asked_t *asked, const struct osw_tasks *tasks,
                       struct osw_error *err) OSW_MUST_CHECK;

/* The name of an attempt's implementation: "g007_0a1b2c3d", by its source. */
void osw_wave_name(uint32_t number, const char *code, size_t n,
                   char out[OSW_WAVE_MAX_NAME]);

/* The source of an attempt that was answered: *n bytes, the caller's to free.
 * 0, or -1 with err set.
 */
int osw_wave_code(const osw_asked_t *asked, const struct osw_task *task,
                  const struct osw_lang *lang, uint32_t number, char **code,
                  size_t *n, struct osw_error *err) OSW_MUST_CHECK;

/* Put a source into the root. */
int osw_wave_add(osw_asked_t *asked, const struct osw_task *task,
                 const struct osw_lang *lang, const char *impl,
                 const char *code, size_t n,
                 struct osw_error *err) OSW_MUST_CHECK;

/* Start the campaign over items[n] into files that are called `name` in the
 * run's folder.  What is borrowed must live until the wave was read.  Returns
 * 0, or -1 with err set.
 */
int osw_wave_start(struct osw_wave *wave, const char *name,
                   struct osw_error *err) OSW_MUST_CHECK;
/* 1: it ended, and the items have their cells; 0: it runs; -1 with err set. */
int osw_wave_poll(struct osw_wave *wave, struct osw_error *err) OSW_MUST_CHECK;

/* Both: start it and wait; *n_stop other than 0 ends it.  0, or -1 with err
 * set.
 */
int osw_wave_run(struct osw_wave *wave, const char *name,
                 const volatile sig_atomic_t *n_stop,
                 struct osw_error *err) OSW_MUST_CHECK;

/* Read the result that is there, of a wave that was not started. */
int osw_wave_read(struct osw_wave *wave, const char *name,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_WAVE_H */
