/* worker/judge/drawn.h - inputs that gen_input.py drew
 *
 * Upstream: bundle.c and contract.c make inputs.  Downstream: a sandbox with
 * the generator writes values into its window, from where they are copied to
 * the image of the trial.
 */
#ifndef OSW_WORKER_JUDGE_DRAWN_H
#define OSW_WORKER_JUDGE_DRAWN_H

#include "worker/judge/judge.h"
#include "worker/judge/trial.h"

/* As osw_trial_fill, whoever the values come from.  Repetition 0 must have the
 * digest that planning saw (0: it is not known).
 *
 * Returns 0, or -1 with err: OSW_NO_MEMORY; OSW_BAD_INPUT when the generator
 * fails, or draws other values than it did.
 */
int osw_drawn_fill(struct osw_judge *judge, struct osw_trial *trial,
                   struct osw_place *place, uint32_t rep, uint64_t digest,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Any tensor of the trial that a generator draws? */
bool osw_drawn_any(const struct osw_trial *trial);

#endif /* OSW_WORKER_JUDGE_DRAWN_H */
