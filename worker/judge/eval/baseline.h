/* worker/judge/eval/baseline.h - what the cells of a case are timed against
 *
 * The baseline of a case is the first of the bundle's list
 * (ops/catalog/baselines.h) that passes on it.  One that is a cell of the
 * bundle is judged with the others.  One that the filters left out is judged
 * here, on the case's own inputs, and has no record.
 */
#ifndef OSW_WORKER_JUDGE_BASELINE_H
#define OSW_WORKER_JUDGE_BASELINE_H

#include "worker/judge/eval/eval.h"

/* Judge those of the list that are no cells, in its order, until one passes.
 * `judged`: verdicts of cells are known, so one that failed is passed over;
 * else the search ends at the first cell.
 */
void osw_baseline_seek(struct osw_eval *run, bool judged);

/* A cell that passed is about to be timed in that sandbox: the baseline, if it
 * is of the list and there is none yet.
 */
void osw_baseline_offer(struct osw_eval *run, const char *name,
                        struct osw_sandbox *sandbox);

/* In a group after the first: the baseline ran on other inputs since, or has
 * ended.  Have it at the case's own, in all members of a gang, or have none.
 * `ok`: this member has the inputs.
 */
void osw_baseline_arm(struct osw_eval *run, bool ok);

/* After a part of cell k: one that fails is no baseline any more, and what was
 * timed against it has no speedup.  Was it so?
 */
bool osw_baseline_review(struct osw_eval *run, uint32_t k);

#endif /* OSW_WORKER_JUDGE_BASELINE_H */
