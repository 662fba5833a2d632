/* worker/judge/gang/meeting.h - the sandboxes of a gang get to communicate
 *
 * On each node the judge of the lowest rank makes a file of shared memory
 * (worker/segment.h), the others there open it, each gives it to its sandbox,
 * and its name is removed.
 *
 * Sandboxes that were right in a cell go on with the next one of their file, if
 * its gang is the same ones, by rank: so NCCL's communicator is made once.
 * After anything else, and where messages were left, a cell has new ones: what
 * an implementation left reaches no other cell.
 *
 * Upstream: judge/eval/first.c.  Downstream: agree.h, process/sandbox.h.
 */
#ifndef OSW_WORKER_JUDGE_MEETING_H
#define OSW_WORKER_JUDGE_MEETING_H

#include "worker/judge/gang/agree.h"
#include "worker/judge/process/sandbox.h"

/* Have the sandbox join its gang.  All members call it at the same time.  0, or
 * -1 with err: then it failed in one of them at least.
 */
int osw_meeting_hold(struct osw_agree *a, struct osw_sandbox *sandbox,
                     int64_t deadline_ns, struct osw_error *err) OSW_MUST_CHECK;

/* May the cell be judged in the sandboxes of all members (NULL: this one has
 * none), which met before?  All members call it at the same time, and get the
 * same answer.  Only on one node: relays begin anew with each gang.
 */
bool osw_meeting_goes_on(struct osw_agree *a, struct osw_sandbox *sandbox);

/* A cell was right in all members. */
void osw_meeting_keep(const struct osw_agree *a, struct osw_sandbox *sandbox);

/* After a call.  Messages between nodes are carried while judges wait: on
 * several nodes none goes on before the calls of all have ended.
 */
void osw_meeting_await(struct osw_agree *a);

/* Its sandbox ended or gave up, as *f says: the code of others need not wait
 * for it.  One that was late gets the rank that it waited for into *f.
 */
void osw_meeting_leave(const struct osw_agree *a,
                       const struct osw_sandbox *sandbox, osw_arena_t *memory,
                       struct osw_findings *f);

#endif /* OSW_WORKER_JUDGE_MEETING_H */
