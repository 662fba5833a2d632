/* worker/judge/eval/fresh.h - a wrong result is repeated in a fresh process
 *
 * A wrong result may be caused by earlier calls in the process, or by a race.
 * Upstream: rounds.c, timing/timing.c.  Downstream: attempt.h.
 */
#ifndef OSW_WORKER_JUDGE_FRESH_H
#define OSW_WORKER_JUDGE_FRESH_H

#include "worker/edits.h"
#include "worker/judge/eval/eval.h"

/* Of cell k's implementation, for osw_judge_sandbox(). */
size_t osw_fresh_index(const struct osw_eval *run, uint32_t k);

/* The sandbox of cell k; NULL: it does not start, *state and text say why. */
struct osw_sandbox *osw_fresh_sandbox(struct osw_eval *run, uint32_t k,
                                      enum osw_state *state, char *text,
                                      size_t size);

/* Judging the cell cannot go on, for that reason; sets *r. */
void osw_fresh_lose(struct osw_eval *run, enum osw_state state,
                    const char *text, struct osw_record *r);

/* A wrong result that differs from call to call on the same inputs (varies) has
 * one of two causes: a race, or state of earlier calls.  Two fresh processes
 * make the same calls.  If their outputs differ, it is a race:
 * `nondeterministic`. Returns the sandbox to go on with; NULL: there is none.
 */
struct osw_sandbox *osw_fresh_tell_race(struct osw_eval *run, size_t index,
                                        struct osw_inputs *inputs,
                                        struct osw_sandbox *sandbox,
                                        struct osw_known *known,
                                        struct osw_record *r);

/* Cell k was wrong, or its process ended, on inputs after earlier calls.  If a
 * fresh process is right on them, the code kept state of earlier calls
 * (`stale`).  *before is its record from before this round.
 */
void osw_fresh_tell_stale(struct osw_eval *run, uint32_t k,
                          struct osw_sandbox *sandbox,
                          const struct osw_record *before);

/* A timed call whose outputs were wrong, in that sandbox. */
struct osw_wrong_call {
    struct osw_sandbox_id sandbox;
    struct osw_edits edits;
    uint64_t call;
};

/* The same of a timed call, for which the case's own inputs were edited; they
 * must be in memory.  *r is the cell's record, index its file's.
 */
void osw_fresh_tell_stale_timed(struct osw_eval *run, size_t index,
                                const struct osw_wrong_call *wrong,
                                struct osw_record *r);

#endif /* OSW_WORKER_JUDGE_FRESH_H */
