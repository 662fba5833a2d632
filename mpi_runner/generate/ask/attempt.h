/* mpi_runner/generate/ask/attempt.h - one attempt of a model at one op
 *
 * Upstream: asked.h, which reads them from the journal of a run.  Downstream:
 * search.h, scores.h, summary.h.
 */
#ifndef OSW_MPI_RUNNER_ATTEMPT_H
#define OSW_MPI_RUNNER_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of it; names are in journals.  X(NAME, name, explanation) */
/* clang-format off */
#define OSW_OUTCOME_MAP(X)                                                     \
    X(ASKED,        "asked",        "the request is under way")                \
    X(ANSWERED,     "answered",     "an answer is there, and was not judged yet") \
    X(JUDGED,       "judged",       "it was judged")                           \
    X(DUPLICATE,    "duplicate",    "the code is that of another attempt, but for blanks and comments") \
    X(REFUSED,      "refused",      "the model refused")                       \
    X(TRUNCATED,    "truncated",    "the answer was cut off")                  \
    X(EMPTY,        "empty",        "the answer is empty")                     \
    X(NO_CODE,      "no_code",      "the answer holds no block of code")       \
    X(WRONG_SYMBOL, "wrong_symbol", "no block of code defines the function that was asked for") \
    X(TOO_LARGE,    "too_large",    "the answer or its code is too large")     \
    X(FAILED,       "failed",       "the request failed")                      \
    X(UNANSWERED,   "unanswered",   "the run ended before the answer came")
/* clang-format on */

enum osw_outcome {
#define X(NAME, name, text) OSW_OUTCOME_##NAME,
    OSW_OUTCOME_MAP(X)
#undef X
        OSW_N_OUTCOMES,
};

const char *osw_outcome_name(enum osw_outcome outcome);
const char *osw_outcome_text(enum osw_outcome outcome);
/* By name; OSW_N_OUTCOMES: there is none. */
enum osw_outcome osw_outcome_find(const char *name);

/* What the judge made of an implementation, over the cells of some cases. */
struct osw_attempt_verdict {
    uint32_t n_planned, n_passed; /* cells; `unsupported` is no pass */
    uint32_t n_failed, n_errors;  /* of the planned, by groups of states */
    uint32_t n_timed;             /* cells with a speedup */
    double speedup; /* geometric mean over those; 0: there are none */
    double speedup_lo, speedup_hi; /* of 95 % intervals; 0: a cell has none */
    double light; /* least possible time over the median; 0: unknown */
    double time_ns;
    int64_t judge_ns; /* wall clock of the cells, added up */
};

/* Does every planned cell pass? */
static inline bool osw_attempt_right(const struct osw_attempt_verdict *v)
{
    return v->n_planned > 0 && v->n_passed == v->n_planned;
}

/* Is a better than b: by the share of planned cells that pass, then by the
 * lower end of the speedup, or without intervals by the speedup.  Neither is
 * where both are equal.
 */
bool osw_attempt_better(const struct osw_attempt_verdict *a,
                        const struct osw_attempt_verdict *b);

enum { OSW_ATTEMPT_MAX = 999 }; /* of one op */

struct osw_attempt {
    uint32_t number; /* from 1, of the op */
    uint32_t parent; /* attempt that it was asked to work on; 0: none */
    enum osw_outcome outcome;
    struct osw_attempt_verdict verdict; /* of JUDGED */
    uint32_t twin;                      /* of DUPLICATE: the other attempt */
};

/* Is nothing more to be known of it? */
static inline bool osw_attempt_over(const struct osw_attempt *a)
{
    return a->outcome != OSW_OUTCOME_ASKED &&
           a->outcome != OSW_OUTCOME_ANSWERED;
}

#endif /* OSW_MPI_RUNNER_ATTEMPT_H */
