/* worker/judge/eval/appeal.h - outputs that the plain tolerance would refuse
 *
 * Before an output gets the verdict `value` or `precision`, the reference runs
 * on perturbed inputs, and the output is compared once more by the sensitivity
 * of its elements (compare/sensitivity.h).  The runs are made once for the
 * inputs of a trial, for all implementations.  They depend only on the trial's
 * seed, so that verdicts are the same from run to run.  A reference that would
 * take more than 30 s for them is not asked: then the tolerance alone decides.
 */
#ifndef OSW_WORKER_JUDGE_APPEAL_H
#define OSW_WORKER_JUDGE_APPEAL_H

#include "worker/judge/compare/sensitivity.h"
#include "worker/judge/eval/oracle.h"

/* Where the reference can be asked. */
struct osw_appeal_reference {
    osw_arena_t *memory;
    struct osw_oracle_job (*job)(void *arg); /* of a live reference, started
                                                again if it ended; sandbox
                                                NULL: there is none */
    void *arg;
    double flops; /* a case of more is not run again */
};

/* One output that would be refused. */
struct osw_appeal_job {
    const struct osw_appeal_reference *reference;
    const struct osw_trial *trial;
    const struct osw_oracle_result *oracle;
    uint32_t output;
    const struct osw_view *got; /* in the trial's place */
};

/* Does rounding explain its errors `e`?  Writes a message on what was found,
 * for a pass or for a refusal ("" when there is none).
 */
bool osw_appeal_accepts(const struct osw_appeal_job *job,
                        const struct osw_errors *e, char *words, size_t size);

#endif /* OSW_WORKER_JUDGE_APPEAL_H */
