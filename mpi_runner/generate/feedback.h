/* mpi_runner/generate/feedback.h - what a model is told about its attempt
 *
 * Never cases that are held out, nor seeds: the cells of a wave are of cases
 * that are shown.  Texts that code or tools made are cut, cleaned and fenced
 * by a word that they cannot know, and called data.  Pure.
 *
 * Upstream: drive.h.  Downstream: judged.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_FEEDBACK_H
#define OSW_MPI_RUNNER_GENERATE_FEEDBACK_H

#include "common/text.h"
#include "mpi_runner/generate/judged.h"

enum { OSW_FEEDBACK_MAX_DATA = 6000, OSW_FEEDBACK_MAX_LINES = 40 };

struct osw_feedback {
    const struct osw_attempt *attempt;
    const char *why; /* of an outcome without cells; "" */
    const struct osw_judged_cell *cells;
    size_t n_cells;
    bool send_output; /* also what op code itself wrote: exceptions, prints */
};

void osw_feedback_add(const struct osw_feedback *f, struct osw_text *out);

/* What was found out afterwards of attempt `number`: the smallest case that
 * fails so (NULL: unknown), what a sanitizer says and what ncu measured ("":
 * nothing).
 */
struct osw_feedback_why {
    const struct osw_judged_cell *smallest;
    const char *sanitizer, *profile;
};

void osw_feedback_add_why(const struct osw_feedback_why *why, uint32_t number,
                          bool send_output, struct osw_text *out);

/* A text of others as data: at most so many bytes, between marks. */
void osw_feedback_add_data(const char *what, const char *text, size_t most,
                           struct osw_text *out);

/* One line on a case and its time, as prompts list cases. */
void osw_feedback_add_time(const struct osw_record *r, struct osw_text *out);

#endif /* OSW_MPI_RUNNER_GENERATE_FEEDBACK_H */
