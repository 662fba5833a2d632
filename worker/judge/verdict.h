/* worker/judge/verdict.h - one implementation against the expected outputs
 *
 * Runs it twice, its outputs poisoned with another pattern each time, and
 * decides by memory that the sandbox never could reach.
 */
#ifndef OSW_WORKER_JUDGE_VERDICT_H
#define OSW_WORKER_JUDGE_VERDICT_H

#include "ops/record.h"
#include "worker/judge/box.h"
#include "worker/judge/oracle.h"
#include "worker/judge/trial.h"

enum { OSW_PASS_A_BYTE = 0xFF, OSW_PASS_B_BYTE = 0x5A };

struct osw_verdict_job {
    osw_arena_t *memory;
    const struct osw_op *op;
    const struct osw_trial *trial;
    const struct osw_oracle_result *oracle;
    enum osw_check check; /* FULL, EXACT or FREIVALDS */
    const char *weak;     /* what trivial output would pass too, or NULL */
    int64_t deadline_ns;
    bool time; /* leave the sandbox ready for measure.h */
    /* As in struct osw_oracle_job. */
    int (*fit)(void *arg, struct osw_box *box, enum osw_zone zone,
               uint64_t bytes, struct osw_error *err);
    void *fit_arg;
};

/* Judge it in `box`: sets state, phase, reason, check, errors, tolerances,
 * signal, exit_code and the phases' times (added to) of *record.  Texts live
 * in the arena.  True when it may be timed now.
 */
bool osw_verdict_reach(const struct osw_verdict_job *job, struct osw_box *box,
                       struct osw_record *record);

/* Hand the case to a fresh sandbox of an implementation that passed, and run
 * it once, unchecked: ready for measure.h.  False when it did not run.
 */
bool osw_verdict_arm(const struct osw_verdict_job *job, struct osw_box *box);

#endif /* OSW_WORKER_JUDGE_VERDICT_H */
