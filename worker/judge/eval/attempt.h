/* worker/judge/eval/attempt.h - an implementation, on one set of inputs
 *
 * Makes calls and checks them.  If something is wrong, makes the further calls
 * that the verdict needs: once more on the same inputs, a moment later, over
 * other poison.
 *
 * Upstream: rounds.c.  Downstream: exec.h, look.h, verdict.h.
 */
#ifndef OSW_WORKER_JUDGE_ATTEMPT_H
#define OSW_WORKER_JUDGE_ATTEMPT_H

#include "worker/judge/eval/eval.h"

/* The first calls in a process: two on the same inputs over different poison.
 * Sets state, phase, reason, check, errors, signal, exit_code and phases' times
 * (added to) of *record.  True when it may be judged on other inputs, and
 * timed.
 */
bool osw_attempt_first(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, struct osw_known *known,
                       struct osw_record *record);

/* On inputs of another trial, called again at the same addresses.  True when it
 * was right: *record keeps what it had, but for the times, and a weak pass may
 * become a pass.
 */
bool osw_attempt_trial(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, struct osw_known *known,
                       struct osw_record *record);

/* The same after timing: the sandbox is as timing left it.  Its inputs are
 * replaced in place, and it is timed `n_samples` times more; the outputs of the
 * last call must be right.
 */
bool osw_attempt_timed(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, uint32_t n_samples,
                       struct osw_known *known, struct osw_record *record);

/* Check the outputs of the sandbox's last call, a timed one with those edits.
 * False: they are wrong, with the verdict in *record.
 */
bool osw_attempt_between(struct osw_eval *run, struct osw_sandbox *sandbox,
                         const struct osw_edits *edits, uint64_t call,
                         struct osw_record *record);

/* Make n calls on the same inputs in a fresh process; hashes[] are those of
 * their outputs.  Returns how many were made.
 */
uint32_t osw_attempt_replay(struct osw_eval *run, struct osw_inputs *inputs,
                            struct osw_sandbox *sandbox, uint32_t n,
                            uint64_t hashes[]);

/* Run the case's own inputs once, unchecked, to make the sandbox ready for
 * timing.  False when it did not run, with the verdict in *record.
 */
bool osw_attempt_arm(struct osw_eval *run, struct osw_sandbox *sandbox,
                     struct osw_record *record);

/* The verdict on the first calls when both were right, `last` after `first`.
 * False: it is not right after all.
 */
bool osw_attempt_end_right(struct osw_eval *run, struct osw_inputs *inputs,
                           struct osw_sandbox *sandbox,
                           const struct osw_findings *first,
                           const struct osw_findings *last,
                           const struct osw_result *result,
                           struct osw_known *known, struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_ATTEMPT_H */
