/* worker/judge/eval/appeal.h - outputs that the plain tolerance would refuse
 *
 * Before an output gets the verdict `value` or `precision`, the reference runs
 * on perturbed inputs, and the output is compared once more by the sensitivity
 * of its elements (compare/sensitivity.h).  The runs are made once for the
 * inputs of a trial, for all implementations.  They depend only on the trial's
 * seed, so that verdicts are the same from run to run.  A reference that would
 * take more than 30 s for them is not asked: then the tolerance alone decides.
 * On special values there are no runs: where a reference has one result of its
 * own and another one in float64, each element must be right by either.
 */
#ifndef OSW_WORKER_JUDGE_APPEAL_H
#define OSW_WORKER_JUDGE_APPEAL_H

#include "worker/judge/eval/appeal_runs.h"

/* Does rounding explain its errors `e`?  Writes a message on what was found,
 * for a pass or for a refusal ("" when there is none).
 */
bool osw_appeal_accepts(const struct osw_appeal_job *job,
                        const struct osw_errors *e, char *words, size_t size);

#endif /* OSW_WORKER_JUDGE_APPEAL_H */
