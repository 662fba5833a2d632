/* worker/judge/eval/appeal_runs.h - the reference, on perturbed inputs
 *
 * Upstream: appeal.c.  Downstream: oracle.h, compare/sensitivity.h.
 */
#ifndef OSW_WORKER_JUDGE_APPEAL_RUNS_H
#define OSW_WORKER_JUDGE_APPEAL_RUNS_H

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

/* Make all runs for the inputs of the job's trial, once: fills
 * job->oracle->appeal, which says why where they tell nothing.
 */
void osw_appeal_run(const struct osw_appeal_job *job);

/* Is the case too large for an appeal, even with a fast reference?  The words
 * for that.
 */
bool osw_appeal_is_too_large(const struct osw_appeal_job *job);
extern const char osw_appeal_too_large[];

/* Threads of the host for a case of that place.  On a processor cells of other
 * workers are timed at the same time.
 */
unsigned osw_appeal_threads(const struct osw_place *place);

#endif /* OSW_WORKER_JUDGE_APPEAL_RUNS_H */
