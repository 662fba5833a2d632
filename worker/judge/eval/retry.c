/* worker/judge/eval/retry.c - what other cases may have caused is confirmed */
#include "worker/judge/eval/retry.h"

#include <signal.h>

#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/checks.h"

/* Faults of an implementation that a fresh process showed, too, before it is
 * believed that other cases do not cause them.
 */
enum { ENOUGH = 2 };

bool osw_retry_is_end(int status)
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

bool osw_retry_is_doubtful(const struct osw_record *r, bool mixed)
{
    return osw_retry_is_end(r->status_id) && (mixed || is_killed(r));
}

/* Wrong, and its process did not end. */
static bool is_wrong(const struct osw_record *r)
{
    return osw_state_group((enum osw_state)r->status_id) == OSW_GROUP_FAIL ||
           r->status_id == OSW_STATE_RETURNED;
}

bool osw_retry_is_needed(const struct osw_eval *run, size_t index,
                         const struct osw_sandbox *sandbox,
                         const struct osw_record *r)
{
    if (!osw_sandbox_alive(sandbox))
        return osw_retry_is_doubtful(r, sandbox->mixed);
    return sandbox->mixed && is_wrong(r) &&
           run->judge->tried[index].n_confirmed < ENOUGH &&
           OSW_CHECKS(FRESH_PROCESS);
}

bool osw_retry_is_doubted(const struct osw_eval *run, size_t index,
                          const struct osw_sandbox *sandbox)
{
    return sandbox->mixed && run->judge->tried[index].batch_excluded &&
           run->judge->tried[index].n_acquitted < ENOUGH;
}

/* Nothing but the implementation can have caused it. */
static bool is_its_own(const struct osw_record *r)
{
    return r->status_id == OSW_STATE_EXITED ||
           (r->status_id == OSW_STATE_CRASH && !is_killed(r)) || is_wrong(r);
}

void osw_retry_excuse(osw_arena_t *memory, const struct osw_record *before,
                      struct osw_record *r)
{
    bool own = is_its_own(r);

    r->status_id = own ? OSW_STATE_STALE : before->status_id;
    if (!own)
        r->phase_id = before->phase_id;
    r->signal = before->signal;
    r->exit_code = before->exit_code;
    r->reason = osw_arena_printf(
        memory, "right in a fresh process, after other calls: %s%s", r->reason,
        own ? OSW_RETRY_OR_A_RACE : "");
}

/* What both tries took is the cell's. */
static void add_times(const struct osw_record *other,
                      const struct osw_record *before, struct osw_record *r)
{
    r->fill_ns += other->fill_ns - before->fill_ns;
    r->run_ns += other->run_ns - before->run_ns;
    r->verify_ns += other->verify_ns - before->verify_ns;
}

/* A fresh process was right: what came of the first try, *r?  Errors of its
 * values stay those of the try that counts.
 */
static void judge_first_try(osw_arena_t *memory, const struct osw_record *right,
                            struct osw_record *r)
{
    struct osw_record first = *r;

    if (!is_wrong(r)) {
        *r = *right;
        r->status_id = first.status_id;
        r->signal = first.signal;
        r->reason = first.reason;
    }
    osw_retry_excuse(memory, right, r);
}

struct osw_sandbox *osw_retry(struct osw_eval *run, size_t index,
                              struct osw_sandbox_id old,
                              const struct osw_record *before,
                              struct osw_known *known, struct osw_record *r)
{
    struct osw_record first, fresh = *before;
    enum osw_state state;
    struct osw_sandbox *sandbox;
    char text[256];
    bool right;

    osw_pool_drop(&run->judge->pool, old);
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
    first = *r;
    *known = (struct osw_known){.hash = 0};
    right = osw_attempt_first(run, &run->own, sandbox, known, &fresh);
    if (right && (is_wrong(&first) || osw_retry_is_end(first.status_id))) {
        judge_first_try(run->memory, &fresh, r);
        add_times(is_wrong(&first) ? &fresh : &first, before, r);
    } else {
        *r = fresh;
        add_times(&first, before, r);
        if (right)
            run->judge->tried[index].n_acquitted++;
        else if (is_wrong(&first))
            run->judge->tried[index].n_confirmed++;
    }
    r->build_ns = first.build_ns;
    return sandbox;
}
