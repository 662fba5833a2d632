/* worker/judge/eval/fresh.h - what a fresh process says of a wrong result
 *
 * A process that gave a wrong result may have been led there by its earlier
 * calls, or by a race.  Upstream: rounds.c.  Downstream: attempt.h.
 */
#ifndef OSW_WORKER_JUDGE_FRESH_H
#define OSW_WORKER_JUDGE_FRESH_H

#include "worker/judge/eval/eval.h"

/* Of cell k's implementation, for osw_judge_sandbox(). */
size_t osw_fresh_index(const struct osw_eval *run, uint32_t k);

/* The sandbox of cell k; NULL: it does not come up, *state and text say why. */
struct osw_sandbox *osw_fresh_sandbox(struct osw_eval *run, uint32_t k,
                                      enum osw_state *state, char *text,
                                      size_t size);

/* What was judged before cannot be judged on; *r says why. */
void osw_fresh_lose(struct osw_eval *run, enum osw_state state,
                    const char *text, struct osw_record *r);

/* What is wrong, and differs from call to call on the same inputs (varies), is
 * a race or what earlier calls left.  Two fresh processes make the same calls:
 * only a race makes other outputs in one than in the other, and is
 * `nondeterministic`.  Returns the sandbox to go on with; NULL: there is none.
 */
struct osw_sandbox *osw_fresh_tell_race(struct osw_eval *run, size_t index,
                                        struct osw_inputs *inputs,
                                        struct osw_sandbox *sandbox,
                                        struct osw_known *known,
                                        struct osw_record *r);

/* Cell k is wrong on inputs that it was called again on, or its process ended:
 * if a fresh process is right on them, something of earlier calls was kept
 * (`stale`).  *before is its record as it was before this round.
 */
void osw_fresh_tell_stale(struct osw_eval *run, uint32_t k,
                          struct osw_sandbox *sandbox,
                          const struct osw_record *before);

#endif /* OSW_WORKER_JUDGE_FRESH_H */
