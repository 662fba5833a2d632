/* worker/judge/eval/first.c - an implementation on the case's own inputs */
#include "worker/judge/eval/first.h"

#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/fresh.h"
#include "worker/judge/eval/retry.h"
#include "worker/judge/eval/snapshot.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/eval/warm_up.h"
#include "worker/judge/gang/meeting.h"

/* Pass the tensors of a verdict to the capture function, if there is one. */
void osw_first_show(const struct osw_eval *run, const char *impl,
                    const struct osw_inputs *inputs,
                    const struct osw_sandbox *sandbox,
                    const struct osw_record *record)
{
    const struct osw_worker_config *config = &run->judge->config;

    if (config->capture)
        osw_snapshot(&(struct osw_snapshot_job){
            .capture = config->capture,
            .capture_arg = config->capture_arg,
            .trial = &inputs->trial,
            .oracle = &inputs->want,
            .sandbox = sandbox,
            .impl = impl,
            .record = record,
        });
}

/* Another case or process may have caused the fault: judge the cell once more
 * in a fresh process.  Returns the sandbox to go on with; NULL: there is none.
 */
static struct osw_sandbox *confirm(struct osw_eval *run, size_t index,
                                   struct osw_sandbox *sandbox,
                                   const struct osw_record *before,
                                   struct osw_known *known,
                                   struct osw_record *record)
{
    bool needed = osw_first_is_right(record) ||
                  osw_retry_is_needed(run, index, sandbox, record);

    if (needed) /* a race needs no other case */
        sandbox =
            osw_fresh_tell_race(run, index, &run->own, sandbox, known, record);
    if (!needed || !sandbox || record->status_id == OSW_STATE_NONDETERMINISTIC)
        return sandbox;
    sandbox = osw_retry(run, index, sandbox->id, before, known, record);
    if (sandbox)
        record->output =
            osw_arena_strdup(run->memory, osw_sandbox_take_output(sandbox));
    return sandbox;
}

/* Its sandbox; NULL, with the verdict in *record: it cannot be judged. */
static struct osw_sandbox *open_impl(struct osw_eval *run, const char *name,
                                     size_t index, struct osw_record *record)
{
    enum osw_state state = OSW_STATE_LOAD;
    char text[OSW_BUILD_MAX_OUTPUT] = "no such implementation in the folder";
    struct osw_sandbox *sandbox = NULL;

    if (index != SIZE_MAX && osw_judge_is_broken(run->judge, index)) {
        record->status_id = OSW_STATE_SKIPPED;
        record->reason = "broken: three crashes or timeouts before "
                         "(--keep-going judges on)";
        return NULL;
    }
    if (index != SIZE_MAX)
        sandbox =
            osw_warm_up_sandbox(run, index, record, &state, text, sizeof(text));
    if (sandbox)
        return sandbox;
    record->status_id = (uint8_t)state;
    record->phase_id =
        (uint8_t)(state == OSW_STATE_BUILD ? OSW_PHASE_BUILD : OSW_PHASE_LOAD);
    record->reason = osw_arena_strdup(run->memory, text);
    osw_first_show(run, name, &run->own, NULL, record);
    return NULL;
}

/* Fail in all members where it failed in one: no sandbox goes on alone. */
static struct osw_sandbox *end_member(struct osw_sandbox *sandbox,
                                      const struct osw_error *err,
                                      struct osw_eval *run,
                                      struct osw_record *record)
{
    if (sandbox && err->status != OSW_OK) {
        record->status_id = OSW_STATE_SKIPPED;
        record->phase_id = OSW_PHASE_LOAD;
        record->reason = osw_arena_strdup(run->memory, err->text);
    }
    return NULL;
}

/* Its sandbox, once those of all ranks are loaded and can communicate.  Only
 * calls of the gang's cells were made in it, in step with other ranks; none if
 * it is new in all members.
 */
static struct osw_sandbox *open_member(struct osw_eval *run, const char *name,
                                       size_t index, struct osw_record *record,
                                       bool *is_new)
{
    struct osw_sandbox *sandbox = open_impl(run, name, index, record);
    struct osw_error err = OSW_ERROR_INIT;

    *is_new = !osw_meeting_goes_on(&run->agree, sandbox);
    if (!*is_new)
        return sandbox;
    if (sandbox && (sandbox->segment_fd >= 0 || sandbox->first_case)) {
        osw_pool_drop(&run->judge->pool, sandbox->id);
        sandbox = open_impl(run, name, index, record);
    }
    if (!osw_agree_all(&run->agree, sandbox != NULL) ||
        osw_meeting_hold(&run->agree, sandbox,
                         osw_judge_load_deadline(run->judge), &err) < 0)
        return end_member(sandbox, &err, run, record);
    return sandbox;
}

/* What an earlier cell left in the processes may have made it wrong. */
static bool is_doubtful(const struct osw_record *r)
{
    return !osw_first_is_right(r) && r->status_id != OSW_STATE_UNSUPPORTED;
}

/* It is right in new processes: note how it ended in those of earlier cells. */
static void note_earlier(struct osw_eval *run, const struct osw_record *earlier,
                         struct osw_record *r)
{
    if (osw_first_is_right(r))
        osw_verdict_say(
            run->memory, r, "in processes of earlier cells it was ",
            osw_arena_printf(run->memory, "%s: %s",
                             osw_state_name(earlier->status_id),
                             earlier->reason ? earlier->reason : ""));
}

/* Returns the sandbox; NULL: there is none, as *record says. */
static struct osw_sandbox *attempt_in(struct osw_eval *run,
                                      struct osw_sandbox *sandbox,
                                      struct osw_known *known,
                                      struct osw_record *record)
{
    if (sandbox)
        (void)osw_attempt_first(run, &run->own, sandbox, known, record);
    return sandbox;
}

/* A gang that was not right in processes of earlier cells begins again in new
 * ones: a verdict does not depend on which cells were judged before.
 */
static struct osw_sandbox *judge_member(struct osw_eval *run, const char *name,
                                        size_t index, struct osw_known *known,
                                        struct osw_record *record)
{
    struct osw_record before = *record, earlier;
    bool is_new;
    struct osw_sandbox *sandbox =
        open_member(run, name, index, record, &is_new);

    (void)attempt_in(run, sandbox, known, record);
    if (is_new || !osw_agree_any(&run->agree, is_doubtful(record)))
        return sandbox;
    earlier = *record;
    *record = before;
    *known = (struct osw_known){.hash = 0};
    sandbox = open_member(run, name, index, record, &is_new);
    (void)attempt_in(run, sandbox, known, record);
    note_earlier(run, &earlier, record);
    return sandbox;
}

bool osw_first_is_right(const struct osw_record *r)
{
    return r->status_id == OSW_STATE_PASS || r->status_id == OSW_STATE_WEAK ||
           r->status_id == OSW_STATE_UNVERIFIED;
}

struct osw_sandbox *osw_first_judge(struct osw_eval *run, const char *name,
                                    struct osw_known *known,
                                    struct osw_record *record)
{
    struct osw_judge *judge = run->judge;
    size_t index = osw_eval_impl_index(&judge->op, name);
    bool gang = run->agree.gang != NULL, right;
    struct osw_record before = *record;
    struct osw_sandbox *sandbox =
        gang ? judge_member(run, name, index, known, record)
             : attempt_in(run, open_impl(run, name, index, record), known,
                          record);

    if (!sandbox)
        return NULL;
    right = osw_first_is_right(record);
    record->output =
        osw_arena_strdup(run->memory, osw_sandbox_take_output(sandbox));
    if (!gang && (!right || osw_retry_is_doubted(run, index, sandbox))) {
        sandbox = confirm(run, index, sandbox, &before, known, record);
        right = osw_first_is_right(record);
    }
    if (!sandbox)
        return NULL;
    if (!osw_sandbox_alive(sandbox) &&
        osw_breaker_counts((enum osw_state)record->status_id))
        osw_breaker_strike(&judge->breaker, judge->op.impls[index].path);
    osw_first_show(run, name, &run->own, sandbox, record);
    if (!right)
        sandbox =
            osw_fresh_tell_race(run, index, &run->own, sandbox, known, record);
    if (!right && sandbox && osw_judge_is_short(judge)) {
        /* This sandbox may hold the missing memory. */
        osw_pool_drop(&judge->pool, sandbox->id);
        return NULL;
    }
    return (right || gang) && osw_sandbox_alive(sandbox) ? sandbox : NULL;
}
