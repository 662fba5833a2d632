/* mpi_runner/generate/ask/attempt.c - one attempt of a model at one op */
#include "mpi_runner/generate/ask/attempt.h"

#include <string.h>

static const struct {
    const char *name, *text;
} rows[] = {
#define X(NAME, name, text) {name, text},
    OSW_OUTCOME_MAP(X)
#undef X
};

const char *osw_outcome_name(enum osw_outcome outcome)
{
    return outcome < OSW_N_OUTCOMES ? rows[outcome].name : "?";
}

const char *osw_outcome_text(enum osw_outcome outcome)
{
    return outcome < OSW_N_OUTCOMES ? rows[outcome].text : "?";
}

enum osw_outcome osw_outcome_find(const char *name)
{
    int i = 0;

    while (i < OSW_N_OUTCOMES && strcmp(rows[i].name, name) != 0)
        i++;
    return (enum osw_outcome)i;
}

bool osw_attempt_better(const struct osw_attempt_verdict *a,
                        const struct osw_attempt_verdict *b)
{
    /* Shares as fractions: a/b > c/d where a*d > c*b. */
    uint64_t share_a = (uint64_t)a->n_passed * b->n_planned;
    uint64_t share_b = (uint64_t)b->n_passed * a->n_planned;

    if (a->n_planned == 0 || b->n_planned == 0)
        return a->n_planned > b->n_planned;
    if (share_a != share_b)
        return share_a > share_b;
    if (a->speedup_lo > 0 && b->speedup_lo > 0)
        return a->speedup_lo > b->speedup_lo;
    return a->speedup > b->speedup;
}
