/* worker/judge/eval/first.h - an implementation on the case's own inputs
 *
 * From its sandbox to its first verdict: crashes are tried again in a fresh
 * process, races are told from faults.
 *
 * Upstream: rounds.c for cells, baseline.c for baselines that are no cells.
 * Downstream: attempt.h.
 */
#ifndef OSW_WORKER_JUDGE_FIRST_H
#define OSW_WORKER_JUDGE_FIRST_H

#include "worker/judge/eval/eval.h"

/* Judge it as the first round does; NULL, or its sandbox when it may be timed.
 */
struct osw_sandbox *osw_first_judge(struct osw_eval *run, const char *name,
                                    struct osw_known *known,
                                    struct osw_record *record);

/* Was the cell judged, and found right so far? */
bool osw_first_is_right(const struct osw_record *record);

/* Pass the tensors of a verdict to the capture function, if there is one.
 * sandbox NULL: there are no outputs.
 */
void osw_first_show(const struct osw_eval *run, const char *impl,
                    const struct osw_inputs *inputs,
                    const struct osw_sandbox *sandbox,
                    const struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_FIRST_H */
