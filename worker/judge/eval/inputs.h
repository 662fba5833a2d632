/* worker/judge/eval/inputs.h - a set of inputs of a case, and where it lies
 *
 * Upstream: each round of a case has one.  Downstream: the trial that made it.
 */
#ifndef OSW_WORKER_JUDGE_INPUTS_H
#define OSW_WORKER_JUDGE_INPUTS_H

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
    struct osw_output *outputs;   /* [want.n_outputs] as expected */
    struct osw_restore *restores; /* [trial.n_tensors] */
    uint32_t n_restores;
    uint64_t outputs_end; /* of outputs and their guards */
    uint64_t spill;       /* of the copies for restoring */
};

#endif /* OSW_WORKER_JUDGE_INPUTS_H */
