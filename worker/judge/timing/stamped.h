/* worker/judge/timing/stamped.h - the judge's own times of single calls
 *
 * Upstream: blocks.c.  Downstream: worker/stamps.h, which the sandbox shares.
 */
#ifndef OSW_WORKER_JUDGE_STAMPED_H
#define OSW_WORKER_JUDGE_STAMPED_H

#include "worker/judge/process/sandbox.h"
#include "worker/judge/timing/claim.h"

/* Before a request that is stamped is sent.  Its sandbox has a window. */
void osw_stamped_reset(struct osw_sandbox *sandbox);

/* After it was sent: stamps[n] of its n samples, by the host's clock.  Each is
 * some 100 ns longer than its sample, unless it is disturbed.  Blocks until all
 * are done, the sandbox answers or ends, or the deadline has passed; watches
 * the sandbox meanwhile.  Returns how many samples were stamped.
 */
uint32_t osw_stamped_follow(struct osw_sandbox *sandbox, uint32_t n,
                            struct osw_sandbox_deadline *deadline,
                            struct osw_claim_stamp *stamps);

#endif /* OSW_WORKER_JUDGE_STAMPED_H */
