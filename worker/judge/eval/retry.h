/* worker/judge/eval/retry.h - what other cases may have caused is confirmed
 *
 * A process that crashed or was wrong in a case may have run other cases
 * before.  Then a fresh process runs only that case.
 */
#ifndef OSW_WORKER_JUDGE_RETRY_H
#define OSW_WORKER_JUDGE_RETRY_H

#include "worker/judge/eval/eval.h"

/* Is it one of the states that a process can end with? */
bool osw_retry_is_end(int status);

/* Must such an end be confirmed in a fresh process?  `mixed`: the process had
 * other cases, too.  SIGKILL never surely comes from the op itself.
 */
bool osw_retry_is_doubtful(const struct osw_record *r, bool mixed);

/* Must a fault of implementation `index` on the case's own inputs be confirmed
 * likewise, also one that did not end its process?  Once two such faults were
 * confirmed, others of the implementation are believed.
 */
bool osw_retry_is_needed(const struct osw_eval *run, size_t index,
                         const struct osw_sandbox *sandbox,
                         const struct osw_record *r);

/* Must a right result be confirmed likewise, since the implementation was wrong
 * in a batch?  That may have been in the first call of its process.  Once two
 * were right there, too, the batch was: others are believed.
 */
bool osw_retry_is_doubted(const struct osw_eval *run, size_t index,
                          const struct osw_sandbox *sandbox);

/* Ends the reason of what was right in a fresh process: a race also comes and
 * goes.
 */
#define OSW_RETRY_OR_A_RACE "; if the code keeps nothing, it may be a race"

/* *r says how a process ended in a case on which a fresh one was right: reset
 * it to *before, except for the times.  A crash was caused by earlier calls of
 * the implementation (stale); lack of memory or time may have other causes.
 */
void osw_retry_excuse(osw_arena_t *memory, const struct osw_record *before,
                      struct osw_record *r);

/* Judge implementation `index` on the case's own inputs once more, in a fresh
 * sandbox that replaces `old`; *before is the record from before the first try.
 * *r becomes the new verdict, with the time of both tries: `stale`, if only
 * the first one was wrong.  Returns the sandbox, or NULL when there is none:
 * then *r stays, or is `device` when no sandbox starts.
 */
struct osw_sandbox *osw_retry(struct osw_eval *run, size_t index,
                              struct osw_sandbox_id old,
                              const struct osw_record *before,
                              struct osw_known *known, struct osw_record *r);

#endif /* OSW_WORKER_JUDGE_RETRY_H */
