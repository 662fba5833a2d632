/* worker/judge/eval/crash_retry.c - a crash is confirmed before it is charged
 */
#include "worker/judge/eval/crash_retry.h"

#include <signal.h>

#include "worker/judge/eval/attempt.h"

bool osw_crash_retry_is_end(int status)
{
    return status == OSW_STATE_CRASH || status == OSW_STATE_EXITED ||
           status == OSW_STATE_TIMEOUT || status == OSW_STATE_OOM;
}

/* SIGKILL may come from an administrator, or from the kernel when memory is
 * short.
 */
static bool is_killed(const struct osw_record *r)
{
    return r->signal == SIGKILL;
}

bool osw_crash_retry_is_doubtful(const struct osw_record *r, bool mixed)
{
    return osw_crash_retry_is_end(r->status_id) && (mixed || is_killed(r));
}

void osw_crash_retry_excuse(osw_arena_t *memory,
                            const struct osw_record *before,
                            struct osw_record *r)
{
    bool own = r->status_id == OSW_STATE_EXITED ||
               (r->status_id == OSW_STATE_CRASH && !is_killed(r));

    r->status_id = own ? OSW_STATE_STALE : before->status_id;
    if (!own)
        r->phase_id = before->phase_id;
    r->signal = before->signal;
    r->exit_code = before->exit_code;
    r->reason = osw_arena_printf(
        memory, "right in a fresh process, after other calls: %s", r->reason);
}

/* The time of the first attempt is part of the cell's time. */
static void add_times(const struct osw_record *ended,
                      const struct osw_record *before, struct osw_record *r)
{
    r->build_ns = ended->build_ns;
    r->fill_ns += ended->fill_ns - before->fill_ns;
    r->run_ns += ended->run_ns - before->run_ns;
    r->verify_ns += ended->verify_ns - before->verify_ns;
}

struct osw_sandbox *osw_crash_retry(struct osw_eval *run, size_t index,
                                    struct osw_sandbox_id dead,
                                    const struct osw_record *before,
                                    struct osw_known *known,
                                    struct osw_record *r)
{
    struct osw_record ended, fresh = *before;
    enum osw_state state;
    struct osw_sandbox *sandbox;
    char text[256];

    osw_pool_drop(&run->judge->pool, dead);
    sandbox = osw_judge_sandbox(run->judge, index, &r->build_ns, &state, text,
                                sizeof(text));
    if (!sandbox && state == OSW_STATE_DEVICE) {
        r->status_id = OSW_STATE_DEVICE;
        r->phase_id = OSW_PHASE_LOAD;
        r->signal = before->signal;
        r->exit_code = before->exit_code;
        r->reason = osw_arena_printf(run->memory,
                                     "a sandbox to confirm by: %s; before: %s",
                                     text, r->reason);
    }
    if (!sandbox)
        return NULL;
    ended = *r;
    *known = (struct osw_known){.hash = 0};
    if (osw_attempt_first(run, &run->own, sandbox, known, &fresh)) {
        struct osw_record right = fresh;

        fresh.status_id = ended.status_id;
        fresh.signal = ended.signal;
        fresh.reason = ended.reason;
        osw_crash_retry_excuse(run->memory, &right, &fresh);
    }
    *r = fresh;
    add_times(&ended, before, r);
    return sandbox;
}
