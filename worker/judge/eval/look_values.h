/* worker/judge/eval/look_values.h - are the values of a call right?
 *
 * Upstream: look.c, which makes the judge's copy of its outputs.  Downstream:
 * compare/.
 */
#ifndef OSW_WORKER_JUDGE_LOOK_VALUES_H
#define OSW_WORKER_JUDGE_LOOK_VALUES_H

#include "worker/judge/eval/appeal.h"
#include "worker/judge/eval/findings.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/inputs/trial.h"

/* One set of inputs of a case, and what is expected of them. */
struct osw_inputs {
    int kind; /* enum osw_trial_kind; -1: the case's own */
    struct osw_trial trial;
    struct osw_oracle_result want;
    const char *weak; /* what trivial output would pass too; NULL: none */
};

/* Where things lie in a zone: the same for all calls of a case. */
struct osw_layout {
    struct osw_output *outputs; /* [n_outputs] as expected; their places */
    uint32_t n_outputs;
    struct osw_restore *restores; /* [trial.n_tensors] */
    uint32_t n_restores;
    uint64_t outputs_end; /* of outputs and their guards */
    uint64_t spill;       /* of the copies for restoring */
};

struct osw_look {
    osw_arena_t *memory; /* of texts */
    const struct osw_op *op;
    const struct osw_inputs *inputs;
    /* The places that the sandbox was given.  Timed calls on edited inputs may
     * have outputs of other shapes than these, which lie elsewhere then.
     */
    const struct osw_layout *layout;
    enum osw_check check; /* FULL, EXACT or FREIVALDS */
    unsigned char pattern;
    const struct osw_result *result;
    const unsigned char *zone; /* that the sandbox can write */
    bool own_memory; /* of the device: what the guard of workspace is shown with
                        is that of an earlier call */
    bool timed; /* the call was the last of several: only the place that the
                   judge gave was poisoned, before the first */
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

/* Output i in the judge's copy, made by osw_look(); NULL data: there is none.
 * The copy is valid until the next look in the same place.
 */
struct osw_view osw_look_output(const struct osw_look *look, uint32_t i,
                                struct osw_tensor_desc *desc);

/* Bytes that the copy takes, and where output i of the result lies in it. */
uint64_t osw_look_copy_bytes(const struct osw_look *look);
unsigned char *osw_look_copied(const struct osw_look *look, uint32_t i);

/* Is the first bad element of another look at the same outputs about what this
 * look's inputs give?
 */
bool osw_look_explains(const struct osw_look *look,
                       const struct osw_value_errors *bad);

/* Record a fault; false, so that `return osw_look_found(...)` ends the look. */
bool osw_look_found(const struct osw_look *look, struct osw_findings *f,
                    enum osw_fault fault, const char *fmt, ...)
    OSW_PRINTF(4, 5);

/* Compare all outputs with what is expected of them, into *f. */
void osw_look_values(const struct osw_look *look, struct osw_findings *f);

#endif /* OSW_WORKER_JUDGE_LOOK_VALUES_H */
