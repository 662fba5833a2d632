/* mpi_runner/generate/explain.h - why a kernel fails: the smallest case that
 * still does, and what a sanitizer says of a crash; why it is slow: what ncu
 * measures
 *
 * By `opsweep show` in processes of their own, one after the other, on the
 * result file of the wave.  What cannot be found out is left out: a verdict
 * without it is told as well.
 *
 * Upstream: drive_answers.c.  Downstream: subrun.h; feedback.h tells it.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_EXPLAIN_H
#define OSW_MPI_RUNNER_GENERATE_EXPLAIN_H

#include <signal.h>

#include "common/arena.h"
#include "common/text.h"
#include "mpi_runner/generate/tasks.h"
#include "mpi_runner/generate/wave.h"

enum { OSW_EXPLAIN_MAX_LINES = 16 }; /* of a sanitizer's report */

/* A cell that fails, or that is timed, of a wave that ended. */
struct osw_explain_cell {
    char file[OSW_ASKED_MAX_WORDS * 8]; /* the wave's result file */
    char impl[OSW_WAVE_MAX_NAME];
    uint64_t cell_key;
    enum osw_state state;
};

struct osw_explain_job {
    const osw_asked_t *asked;
    const struct osw_task *task;
    const struct osw_explain_cell *cell;
    const char *code; /* of the attempt */
    bool sanitize;
    bool unisolated; /* tools that cannot reach isolated code run it without */
    const volatile sig_atomic_t *n_stop; /* other than 0 ends it */
    osw_arena_t *arena;                  /* of what is found */
};

struct osw_explanation {
    struct osw_judged_cell smallest; /* case_text NULL: none was found */
    const char *sanitizer;           /* what it says; "": nothing */
    const char *profile;             /* what ncu measured; "": nothing */
    char no_profile[256];            /* why it could not; "": it could */
};

/* Is there more to be found out of such a failure? */
bool osw_explain_can(enum osw_state state);

/* Explain it; of a cell that passes, what ncu measures.  Blocks, for some
 * seconds at most, with a tool for two minutes.
 */
struct osw_explanation osw_explain(const struct osw_explain_job *job);

/* The first error of a report of valgrind or compute-sanitizer, without
 * addresses, numbers of processes and frames that are not in `file`: at most
 * OSW_EXPLAIN_MAX_LINES.  Pure.
 */
void osw_explain_add_report(const char *report, const char *file,
                            struct osw_text *out);

/* The cell.json of a smaller case into *out; texts are in the arena.  Returns
 * 0, or -1 with err set: OSW_BAD_INPUT, OSW_NO_MEMORY.
 */
int osw_explain_read(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_judged_cell *out,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_EXPLAIN_H */
