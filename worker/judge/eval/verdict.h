/* worker/judge/eval/verdict.h - from findings to a state
 *
 * Pure: no process, no memory of others, no clock.  All that is known of an
 * implementation on one set of inputs goes in; a state, the phase and the words
 * come out.  The rules are a table, first match first.
 */
#ifndef OSW_WORKER_JUDGE_VERDICT_H
#define OSW_WORKER_JUDGE_VERDICT_H

#include "common/arena.h"
#include "worker/judge/eval/findings.h"

struct osw_evidence {
    int kind;     /* enum osw_trial_kind of the inputs; -1: the case's own */
    bool moved;   /* it lay elsewhere than the call before */
    bool timed;   /* the call was a timed one */
    bool altered; /* on inputs that changed since the last call */
    const struct osw_findings *call;   /* the one that decides */
    const struct osw_findings *before; /* on the same inputs, over other poison;
                                          NULL: none */
    uint64_t earlier_hash; /* of outputs on earlier inputs; 0: none.  The same
                              ones count if chance does not explain it, and if
                              they are far more wrong than they were there */
    double earlier_error;  /* the largest one there; 0 or NaN: none is known */
    bool earlier;          /* it fits earlier inputs better */
    bool deterministic;    /* op.json demands the same bits */
    bool changing;         /* outputs changed while they were looked at again */
    uint64_t changed_hash; /* what outputs changed to */
};

struct osw_verdict {
    enum osw_state state; /* NONE: nothing is wrong */
    enum osw_phase phase;
    char text[1024];
};

void osw_verdict_of(const struct osw_evidence *evidence,
                    struct osw_verdict *out);

/* "on small integers: ", in front of what was found on other inputs than the
 * case's own; "" for these.
 */
const char *osw_verdict_prefix(int kind);

/* Append to the record's reason, in `memory`; text NULL: there was none left.
 */
void osw_verdict_say(osw_arena_t *memory, struct osw_record *record,
                     const char *prefix, const char *text);

/* A call on these inputs was right, too: a weak pass on the case's own becomes
 * a pass, if trivial outputs would be wrong here (not `weak`).
 */
void osw_verdict_strengthen(osw_arena_t *memory, int kind, bool weak,
                            struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_VERDICT_H */
