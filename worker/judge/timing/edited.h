/* worker/judge/timing/edited.h - the judge's side of edits.h
 *
 * Upstream: blocks.c asks for timed calls; eval/attempt.c verifies one of them.
 */
#ifndef OSW_WORKER_JUDGE_EDITED_H
#define OSW_WORKER_JUDGE_EDITED_H

#include "worker/edits.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"

/* The poison of timed calls' outputs.  Where NaN may be right, a number: as
 * OSW_POISON_OF().
 */
unsigned char osw_edited_pattern(const struct osw_trial *trial);

/* Plan what timed calls of the sandbox may edit; its last result is still
 * valid. These are tensors in which trials may exchange elements
 * (osw_trial_permute), and outputs in its zone; without gaps, and no tensor
 * that is both unless it is restored.  `call_ns`, about the time of one call,
 * limits the amount; `several`: edits lie between calls that are timed
 * together, and must be cheap. The caller sets the seed.
 */
void osw_edited_plan(const struct osw_trial *trial,
                     const struct osw_sandbox *sandbox, int64_t call_ns,
                     bool several, struct osw_edits *out);

/* Bytes of the inputs that change before a call if all do. */
uint64_t osw_edited_bytes(const struct osw_edits *edits);

/* Number of the last call's edits, in all members of a gang.  `own_memory`: of
 * the device.
 */
uint64_t osw_edited_last(const struct osw_time_request *request,
                         bool own_memory);

/* Edit an inputs zone at `base` as before that call; `zone`: a sandbox's after
 * the call, where some arguments are outputs by now, which stay.  *undo says
 * how to put back what was edited; `edits` live so long.  The place's stream
 * carries the copies.  False: no memory of the host to change all elements of a
 * device's inputs; none has changed.
 */
bool osw_edited_apply(const struct osw_trial *trial, unsigned char *base,
                      bool zone, const struct osw_edits *edits, uint64_t call,
                      struct osw_edits_undo *undo) OSW_MUST_CHECK;
void osw_edited_undo(const struct osw_trial *trial, unsigned char *base,
                     struct osw_edits_undo *undo);

/* Does a zone in the host's memory still hold poison of that call? */
bool osw_edited_is_left(const struct osw_edits *edits, uint64_t call,
                        const unsigned char *base);

#endif /* OSW_WORKER_JUDGE_EDITED_H */
