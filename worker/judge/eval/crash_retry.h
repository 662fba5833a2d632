/* worker/judge/eval/crash_retry.h - a crash is confirmed before it is charged
 *
 * A process that ended over a case may have judged others before.  Then a fresh
 * one is asked about that case alone.
 */
#ifndef OSW_WORKER_JUDGE_CRASH_RETRY_H
#define OSW_WORKER_JUDGE_CRASH_RETRY_H

#include "worker/judge/eval/eval.h"

/* Is it one of the states that a process can end with? */
bool osw_crash_retry_is_end(int status);

/* Does such an end have to be looked at again, in a fresh process?  `mixed`: it
 * had other cases, too.  SIGKILL is never the op's own for certain.
 */
bool osw_crash_retry_is_doubtful(const struct osw_record *r, bool mixed);

/* *r says how a process ended over what a fresh one was right on: back to what
 * *before says, but for the times.  A crash comes from earlier calls of its own
 * (stale); want of memory or of time need not be its fault.
 */
void osw_crash_retry_excuse(osw_arena_t *memory,
                            const struct osw_record *before,
                            struct osw_record *r);

/* Judge implementation `index` on the case's own inputs once more, in a fresh
 * sandbox in place of the dead one; *before is its record as it was before.
 * What is seen now is charged, all the time that it took is kept.  Returns the
 * sandbox, or NULL when there is none: then *r stands, but where no sandbox
 * starts.
 */
struct osw_sandbox *osw_crash_retry(struct osw_eval *run, size_t index,
                                    struct osw_sandbox_id dead,
                                    const struct osw_record *before,
                                    struct osw_known *known,
                                    struct osw_record *r);

#endif /* OSW_WORKER_JUDGE_CRASH_RETRY_H */
