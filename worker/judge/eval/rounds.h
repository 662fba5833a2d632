/* worker/judge/eval/rounds.h - the rounds in which a case's cells are judged
 *
 * Each round goes over all implementations of a group, so that inputs and
 * expected outputs are made once for all of them.  The rounds are: the case's
 * own inputs; those of other trials; timing; new inputs after timing.  A round
 * is a row of a table.
 */
#ifndef OSW_WORKER_JUDGE_ROUNDS_H
#define OSW_WORKER_JUDGE_ROUNDS_H

#include "worker/judge/eval/eval.h"

/* Trials in their order:
 *   - first the case's own inputs permuted, which shows results that are cached
 *     by the sum of the inputs;
 *   - then integers, since they tell wrong results from imprecise ones;
 *   - last those of the case's own kind, so that stale results of the other
 *     trials show.
 */
extern const enum osw_trial_kind osw_rounds_trials[OSW_N_TRIALS];

/* All rounds over the cells [run->from, run->to); run->own is made. */
void osw_rounds_run(struct osw_eval *run);

#endif /* OSW_WORKER_JUDGE_ROUNDS_H */
