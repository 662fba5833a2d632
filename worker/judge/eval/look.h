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

#include "worker/judge/eval/appeal.h"
#include "worker/judge/eval/findings.h"
#include "worker/judge/eval/inputs.h"

struct osw_look {
    osw_arena_t *memory; /* of texts */
    const struct osw_op *op;
    const struct osw_inputs *inputs;
    const struct osw_layout *layout;
    enum osw_check check; /* FULL, EXACT or FREIVALDS */
    unsigned char pattern;
    const struct osw_result *result;
    const unsigned char *zone; /* that the sandbox can write */
    /* Earlier calls with other outputs' sizes may have left so many bytes past
     * each output, and before each but the first; they are not checked.
     */
    uint64_t spare;
    /* An earlier call on the same inputs: outputs that are the same to the bit
     * are not compared again.  NULL: none.
     */
    const struct osw_findings *before;
    /* Where refused outputs are appealed; NULL: they are not.  The caller's
     * sandbox must stay while the reference runs.
     */
    const struct osw_appeal_reference *appeals;
    const struct osw_trial *appealed; /* the reference's inputs */
};

/* Look at everything that a call left which returned 0.  The copy lies in the
 * trial's place until the next look there.
 */
void osw_look(const struct osw_look *look, struct osw_findings *out);

/* Hash of the outputs as they are in the zone now. */
uint64_t osw_look_hash(const struct osw_look *look);

#endif /* OSW_WORKER_JUDGE_LOOK_H */
