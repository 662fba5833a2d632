/* worker/judge/eval/expected.h - inputs of a case, and the reference's outputs
 *
 * Upstream: bundle.c and rounds.c.  Downstream: inputs/, oracle.h.  Memory
 * holds one set of inputs at a time: making another one overwrites it.
 */
#ifndef OSW_WORKER_JUDGE_EXPECTED_H
#define OSW_WORKER_JUDGE_EXPECTED_H

#include "worker/edits.h"
#include "worker/judge/eval/eval.h"

/* Make the case's own inputs and have the reference run on them, in the host's
 * memory first when they are small, and in the device's when that was not large
 * enough.  Sets run->own, and run->stopped when there are none.
 */
void osw_expected_make_case(struct osw_eval *run);

/* Bring the case's own inputs back after those of trials.  0, or -1 with err.
 */
int osw_expected_restore(struct osw_eval *run,
                         struct osw_error *err) OSW_MUST_CHECK;

/* The expected outputs for these once more: those of other inputs took their
 * memory.  false: the reference gives none, or others.
 */
bool osw_expected_again(struct osw_eval *run);

/* Let this case's reference be asked for appeals. */
void osw_expected_begin_appeals(struct osw_eval *run);

/* Make the inputs of a trial, and their expected outputs.  False: there are
 * none.  Then out->want.text says why if it is the reference's fault or the
 * device's (out->want.state), out->want.note if the inputs cannot be made
 * again, or not be run for want of memory. Another error that the reference
 * returns means that the op does not support such inputs.  turn: see
 * osw_eval_trial_fills().
 */
bool osw_expected_make_trial(struct osw_eval *run, enum osw_trial_kind kind,
                             unsigned turn, uint32_t rep,
                             struct osw_inputs *out);

/* The first call of a reference may have loaded and compiled much.  Where it
 * took too long for trials, ask once more what a call takes, once an op; the
 * case's own inputs must be in memory.
 */
void osw_expected_time_again(struct osw_eval *run);

/* What is expected on the case's own inputs, which are in memory, edited as
 * before that timed call (NULL: as they are).  The images of all ranks stay
 * edited, as undo[osw_expected_images()] says.  False as above; then they are
 * as they were.
 */
bool osw_expected_edit(struct osw_eval *run, const struct osw_edits *edits,
                       uint64_t call, struct osw_edits_undo undo[],
                       struct osw_inputs *out);
void osw_expected_unedit(const struct osw_eval *run,
                         struct osw_edits_undo undo[]);

/* One for each rank of a collective op, else one. */
static inline uint32_t osw_expected_images(const struct osw_eval *run)
{
    return run->world.size ? run->world.size : 1;
}

/* Without a reference: the device's fault, or its own. */
enum osw_state osw_expected_blamed(enum osw_state state);

#endif /* OSW_WORKER_JUDGE_EXPECTED_H */
