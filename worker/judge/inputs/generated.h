/* worker/judge/inputs/generated.h - inputs that gen_input.py makes
 *
 * Upstream: bundle.c and contract.c make inputs.  Downstream: a sandbox with
 * the generator writes values into its window, from where they are copied to
 * the image of the trial.
 */
#ifndef OSW_WORKER_JUDGE_GENERATED_H
#define OSW_WORKER_JUDGE_GENERATED_H

#include "worker/judge/inputs/trial.h"
#include "worker/judge/judge.h"

/* As osw_trial_fill, also for values from a generator.  Repetition 0 must have
 * the digest that planning saw (0: unknown).
 *
 * Returns 0, or -1 with err: OSW_NO_MEMORY; OSW_BAD_INPUT when the generator
 * fails, or makes other values than it did.
 */
int osw_generated_fill(struct osw_judge *judge, struct osw_trial *trial,
                       struct osw_place *place, uint32_t rep, uint64_t digest,
                       struct osw_error *err) OSW_MUST_CHECK;

/* One trial of many; filled by osw_trial_fill already. */
struct osw_generated_job {
    struct osw_trial *trial; /* with tensors that a generator fills */
    uint32_t rep;
    uint64_t digest; /* that it must have; 0: any */
    bool ok;         /* else err says why not */
    struct osw_error err;
};

/* Generate n trials of one op, all by one generator, as many at a time as its
 * sandbox's window holds: it works while the next ones are requested.
 */
void osw_generated_make(struct osw_judge *judge, struct osw_generated_job *jobs,
                        size_t n);

/* Does a generator fill any tensor of the trial? */
bool osw_generated_any(const struct osw_trial *trial);

#endif /* OSW_WORKER_JUDGE_GENERATED_H */
