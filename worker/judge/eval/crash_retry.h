/* worker/judge/eval/crash_retry.h - a crash is confirmed before it is charged
 *
 * A process that crashed in a case may have run other cases before.  Then a
 * fresh process runs only that case.
 */
#ifndef OSW_WORKER_JUDGE_CRASH_RETRY_H
#define OSW_WORKER_JUDGE_CRASH_RETRY_H

#include "worker/judge/eval/eval.h"

/* Is it one of the states that a process can end with? */
bool osw_crash_retry_is_end(int status);

/* Must such an end be confirmed in a fresh process?  `mixed`: the process had
 * other cases, too.  SIGKILL never surely comes from the op itself.
 */
bool osw_crash_retry_is_doubtful(const struct osw_record *r, bool mixed);

/* *r says how a process ended in a case on which a fresh one was right: reset
 * it to *before, except for the times.  A crash was caused by earlier calls of
 * the implementation (stale); lack of memory or time may have other causes.
 */
void osw_crash_retry_excuse(osw_arena_t *memory,
                            const struct osw_record *before,
                            struct osw_record *r);

/* Judge implementation `index` on the case's own inputs once more, in a fresh
 * sandbox that replaces the dead one; *before is the record from before the
 * crash.  *r becomes the new verdict, with the time of both tries.  Returns the
 * sandbox, or NULL when there is none: then *r stays, or is `device` when no
 * sandbox starts.
 */
struct osw_sandbox *osw_crash_retry(struct osw_eval *run, size_t index,
                                    struct osw_sandbox_id dead,
                                    const struct osw_record *before,
                                    struct osw_known *known,
                                    struct osw_record *r);

#endif /* OSW_WORKER_JUDGE_CRASH_RETRY_H */
