/* worker/judge/process/sandbox_internal.h - what spawn.c, talk.c and sandbox.c
 * share
 */
#ifndef OSW_WORKER_JUDGE_SANDBOX_INTERNAL_H
#define OSW_WORKER_JUDGE_SANDBOX_INTERNAL_H

#include "worker/judge/process/sandbox.h"

/* Remove its scratch folder and free it; the process must be gone. */
void osw_sandbox_free(struct osw_sandbox *sandbox);

/* Send a request with n (<= 2) descriptors.  As osw_sandbox_send. */
int osw_sandbox_send_fds(struct osw_sandbox *sandbox,
                         const struct osw_writer *w, const int *fds, size_t n);

/* Heartbeats, and messages for others, during a wait. */
static inline void osw_sandbox_tick(const struct osw_sandbox *sandbox)
{
    if (sandbox->env->tick)
        sandbox->env->tick(sandbox->env->tick_arg);
}

/* Its socket closed: wait a moment for the process to leave its own status,
 * then kill and reap it.
 */
void osw_sandbox_await_end(struct osw_sandbox *sandbox);

/* Kill it because a deadline passed: state TIMEOUT. */
void osw_sandbox_time_out(struct osw_sandbox *sandbox, int64_t deadline_ns);

#endif /* OSW_WORKER_JUDGE_SANDBOX_INTERNAL_H */
