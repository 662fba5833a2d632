/* worker/judge/eval/warm_up.h - a process sees another case before its first
 *
 * Code that keeps something of the first case that its process saw (a size, a
 * scalar, a table) is right in that case.  Where each worker gets one case of
 * an op, it would be right in all.  So each new process of an implementation
 * first makes a call on the op's smallest case, and nothing of that call
 * counts.  What is wrong after it is judged again in a process without
 * (retry.h).
 *
 * Upstream: first.c and batch_message.c.  Downstream: exec.h.
 */
#ifndef OSW_WORKER_JUDGE_WARM_UP_H
#define OSW_WORKER_JUDGE_WARM_UP_H

#include "worker/judge/eval/eval.h"

/* Make the inputs for such calls, if that bundle of the current op names a case
 * and there are none yet; before inputs of a case are made, which
 * would be lost.  A case of more than OSW_WORKER_SMALL_BYTES is left out, and
 * one whose inputs cannot be made.  Returns the nanoseconds that it took.
 */
int64_t osw_warm_up_make(struct osw_judge *judge,
                         const struct osw_bundle *bundle);

/* As osw_judge_sandbox(), of an implementation that is to judge a case of
 * `run`: one that has made that call, if there is one.  *spent: the times of
 * building and of that call are added to it.
 */
struct osw_sandbox *osw_warm_up_sandbox(struct osw_eval *run, size_t index,
                                        struct osw_record *spent,
                                        enum osw_state *state, char *text,
                                        size_t size);

#endif /* OSW_WORKER_JUDGE_WARM_UP_H */
