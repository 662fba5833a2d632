/* mpi_runner/generate/prompt.h - what a model is asked
 *
 * The part that stays the same comes first, so that endpoints can keep it.
 * Never cases that are held out, nor seeds.
 *
 * Upstream: drive.h.  Downstream: template.h, feedback.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_PROMPT_H
#define OSW_MPI_RUNNER_GENERATE_PROMPT_H

#include "common/arena.h"
#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/judged.h"
#include "mpi_runner/generate/lang.h"
#include "mpi_runner/generate/tasks.h"

struct osw_prompt {
    const struct osw_task *task;
    const struct osw_lang *lang;
    const char *templates;              /* folder of the user's; NULL: none */
    const char *cases, *device;         /* texts: see osw_prompt_add_cases() */
    const struct osw_attempt *attempts; /* [n_attempts] of the op */
    size_t n_attempts;
    uint32_t parent;             /* 0: start anew */
    const char *code, *feedback; /* of the parent */
};

/* Append the prompt.  Returns 0, or -1 with err set. */
int osw_prompt_make(const struct osw_prompt *p, struct osw_text *out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Append the shown cases with what the baseline takes: its cells [n]. */
void osw_prompt_add_cases(const struct osw_task *task,
                          const struct osw_judged_cell *cells, size_t n,
                          struct osw_text *out);

#endif /* OSW_MPI_RUNNER_GENERATE_PROMPT_H */
