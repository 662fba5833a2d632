/* worker/judge/eval/verdict.h - one implementation against the expected outputs
 *
 * Runs it twice, its outputs poisoned with another pattern each time, and
 * decides by memory that the sandbox never could reach.
 */
#ifndef OSW_WORKER_JUDGE_VERDICT_H
#define OSW_WORKER_JUDGE_VERDICT_H

#include "ops/record.h"
#include "worker/judge/eval/appeal.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"

#define OSW_PASS_A_BYTE (OSW_CHECKS(POISON) ? 0xFF : 0)
#define OSW_PASS_B_BYTE (OSW_CHECKS(POISON) ? 0x5A : 0)

/* What is remembered of an implementation from one trial to the next. */
struct osw_verdict_memory {
    uint64_t hash; /* of its outputs; 0: none yet */
    bool doubtful; /* wrong, but perhaps by precision alone */
    double rms;    /* of its errors in the case's own inputs */
};

struct osw_verdict_job {
    osw_arena_t *memory;
    const struct osw_op *op;
    const struct osw_trial *trial;
    int kind;            /* enum osw_trial_kind; -1: the case's own */
    uint64_t case_id;    /* of this bundle, for sandbox->case_id */
    double baseline_rms; /* of the baseline's errors; NaN: unknown */
    struct osw_verdict_memory *known;
    const struct osw_oracle_result *oracle;
    const struct osw_appeal_reference *appeals; /* NULL: there are none */
    enum osw_check check;                       /* FULL, EXACT or FREIVALDS */
    const char *weak; /* what trivial output would pass too, or NULL */
    int64_t deadline_ns;
    bool time; /* leave the sandbox ready for measure.h */
    /* As in struct osw_oracle_job. */
    int (*fit)(void *arg, struct osw_sandbox *sandbox, enum osw_zone zone,
               uint64_t bytes, struct osw_error *err);
    void *fit_arg;
};

/* Judge it in `sandbox` on the case's own inputs: sets state, phase, reason,
 * check, errors, tolerances, signal, exit_code and the phases' times (added to)
 * of *record.  Texts live in the arena.  True when it may be judged on others,
 * and timed.
 */
bool osw_verdict_reach(const struct osw_verdict_job *job,
                       struct osw_sandbox *sandbox, struct osw_record *record);

/* Judge it on the inputs of another trial, called again at the same addresses.
 * True when it passed; else state, phase, reason and errors are set.
 */
bool osw_verdict_try(const struct osw_verdict_job *job,
                     struct osw_sandbox *sandbox, struct osw_record *record);

/* The same behind timing: inputs are replaced under its hands, and it is timed
 * `n_samples` times more, cold and with as many calls as record says; what it
 * left must be right.  Needs the sandbox to be as timing left it.
 */
bool osw_verdict_recheck(const struct osw_verdict_job *job,
                         struct osw_sandbox *sandbox, uint32_t n_samples,
                         struct osw_record *record);

/* Behind that, on inputs that differ from those before in part only, its
 * outputs left as they are: who knows inputs again by a few elements, or by
 * what it left in its outputs, is stale; who computes for new inputs only is
 * implausible.
 */
bool osw_verdict_altered(const struct osw_verdict_job *job,
                         struct osw_sandbox *sandbox, uint32_t n_samples,
                         uint64_t *random, struct osw_record *record);

/* Hand the case to a sandbox of an implementation that passed, and run it once,
 * unchecked: ready for measure.h.  False when it did not run, with the verdict
 * in *record.
 */
bool osw_verdict_arm(const struct osw_verdict_job *job,
                     struct osw_sandbox *sandbox, struct osw_record *record);

/* --- calls that are made together: see batch.h --- */

/* Where things lie in a zone. */
struct osw_verdict_layout {
    struct osw_output *outputs;   /* as expected, in the arena */
    struct osw_restore *restores; /* likewise */
    uint32_t n_restores;
    uint64_t outputs_end, spill;
};

/* Lay out a case, whatever it needs; false: no memory. */
bool osw_verdict_lay_out(const struct osw_verdict_job *job,
                         struct osw_verdict_layout *out);

/* Make `base` ready for a call on job->trial: its inputs, outputs poisoned. */
void osw_verdict_load(const struct osw_verdict_job *job,
                      const struct osw_verdict_layout *layout,
                      unsigned char *base, unsigned char pattern);

/* The CASE for sandbox->zone. */
void osw_verdict_put(const struct osw_verdict_job *job,
                     const struct osw_verdict_layout *layout,
                     struct osw_sandbox *sandbox, unsigned char pattern,
                     struct osw_writer *w);

struct osw_verdict_call {
    const struct osw_verdict_job *job;
    const struct osw_verdict_layout *layout;
    unsigned char *base; /* where it was loaded, and its outputs are */
    unsigned char pattern;
    const struct osw_result *result;
};

/* Judge by calls that were made: the first two on the case's own inputs, those
 * behind them on those of trials.  True: the verdict in *record (pass, weak,
 * unverified or unsupported) is what judging alone would give.  False: nothing
 * is sure but that it must be judged alone; *record is spoilt.
 */
bool osw_verdict_see(const struct osw_verdict_call *calls, uint32_t n,
                     struct osw_sandbox *sandbox, struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_VERDICT_H */
