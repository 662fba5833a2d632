/* worker/judge/eval/look.h - what a call left in memory
 *
 * The sandbox can write its zone at any time, also while the judge looks.  So
 * each byte is read once: outputs into a copy that only the judge can write,
 * which gaps and values are judged by, hashed on the way there; guards and
 * inputs against what they must be.
 *
 * Upstream: exec.c makes the call.  Downstream: verdict.c.
 */
#ifndef OSW_WORKER_JUDGE_LOOK_H
#define OSW_WORKER_JUDGE_LOOK_H

#include "worker/judge/eval/look_values.h"

/* Look at everything that a call left which returned 0.  The copy lies in the
 * trial's place until the next look there.
 */
void osw_look(const struct osw_look *look, struct osw_findings *out);

/* Hash of the outputs as they are in the zone now. */
uint64_t osw_look_hash(const struct osw_look *look);

#endif /* OSW_WORKER_JUDGE_LOOK_H */
