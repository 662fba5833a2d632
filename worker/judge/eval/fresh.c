/* worker/judge/eval/fresh.c - a wrong result is repeated in a fresh process */
#include "worker/judge/eval/fresh.h"

#include <stdio.h>
#include <string.h>

#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/retry.h"

enum {
    LEAST_REPLAYS = 4,
    MOST_REPLAYS = 32, /* of calls that take less than REPLAY_NS together */
};

#define REPLAY_NS INT64_C(50000000)

size_t osw_fresh_index(const struct osw_eval *run, uint32_t k)
{
    return osw_eval_impl_index(&run->judge->op, run->bundle->impls[k]);
}

struct osw_sandbox *osw_fresh_sandbox(struct osw_eval *run, uint32_t k,
                                      enum osw_state *state, char *text,
                                      size_t size)
{
    return osw_judge_sandbox(run->judge, osw_fresh_index(run, k),
                             &run->records[k].build_ns, state, text, size);
}

void osw_fresh_lose(struct osw_eval *run, enum osw_state state,
                    const char *text, struct osw_record *r)
{
    r->status_id = (uint8_t)state;
    r->phase_id = OSW_PHASE_LOAD;
    r->reason =
        osw_arena_printf(run->memory, "a sandbox for other inputs: %s", text);
}

struct osw_sandbox *osw_fresh_tell_race(struct osw_eval *run, size_t index,
                                        struct osw_inputs *inputs,
                                        struct osw_sandbox *sandbox,
                                        struct osw_known *known,
                                        struct osw_record *r)
{
    uint64_t hashes[2][MOST_REPLAYS];
    uint32_t n[2] = {0, 0}, wanted = LEAST_REPLAYS;
    enum osw_state state;
    char text[256];

    if (!known->varies || !osw_sandbox_alive(sandbox))
        return sandbox;
    known->varies = false;
    if (run->own.want.call_ns < REPLAY_NS / MOST_REPLAYS)
        wanted = MOST_REPLAYS;
    for (int i = 0; i < 2; i++) {
        osw_pool_drop(&run->judge->pool, sandbox->id);
        sandbox = osw_judge_sandbox(run->judge, index, &r->build_ns, &state,
                                    text, sizeof(text));
        if (!sandbox)
            return NULL;
        n[i] = osw_attempt_replay(run, inputs, sandbox, wanted, hashes[i]);
    }
    if (n[0] != n[1] || n[0] == 0 ||
        memcmp(hashes[0], hashes[1], n[0] * sizeof(hashes[0][0])) == 0)
        return sandbox;
    r->status_id = OSW_STATE_NONDETERMINISTIC;
    r->reason = osw_arena_printf(run->memory,
                                 "calls on the same inputs give different "
                                 "outputs, in fresh processes too; of one: %s",
                                 r->reason);
    return sandbox;
}

static bool has_wrong_values(const struct osw_record *r)
{
    return (r->status_id == OSW_STATE_VALUE || r->status_id == OSW_STATE_NAN) &&
           OSW_CHECKS(FRESH_PROCESS);
}

/* It is stale for this reason, which begins with what was wrong when. */
static void call_stale(struct osw_eval *run, const char *when,
                       struct osw_record *r)
{
    r->status_id = OSW_STATE_STALE;
    r->reason =
        osw_arena_printf(run->memory, "right in a fresh process, wrong %s%s%s",
                         when, r->reason, OSW_RETRY_OR_A_RACE);
}

void osw_fresh_tell_stale(struct osw_eval *run, uint32_t k,
                          struct osw_sandbox *sandbox,
                          const struct osw_record *before)
{
    struct osw_record *r = &run->records[k], alone = *r;
    struct osw_known fresh = {.hash = 0};
    bool ended = osw_retry_is_end(r->status_id);
    enum osw_state state;
    char text[256];

    if (!sandbox)
        return;
    if (ended ? !osw_retry_is_doubtful(r, sandbox->mixed)
              : !has_wrong_values(r))
        return;
    osw_pool_drop(&run->judge->pool, sandbox->id);
    sandbox = osw_fresh_sandbox(run, k, &state, text, sizeof(text));
    if (!sandbox && ended && state == OSW_STATE_DEVICE) {
        r->signal = before->signal; /* the cause of the signal is unknown */
        r->exit_code = before->exit_code;
        osw_fresh_lose(run, state, text, r);
    }
    if (!sandbox ||
        (ended &&
         !osw_attempt_first(run, run->other, sandbox, &fresh, &alone)) ||
        !osw_attempt_trial(run, run->other, sandbox, &fresh, &alone))
        return;
    if (ended)
        osw_retry_excuse(run->memory, before, r);
    else
        call_stale(run, "when called again: ", r);
}

void osw_fresh_tell_stale_timed(struct osw_eval *run, size_t index,
                                const struct osw_wrong_call *wrong,
                                struct osw_record *r)
{
    struct osw_edits_undo *images =
        osw_arena_array(run->memory, osw_expected_images(run), sizeof(*images));
    struct osw_record alone = *r;
    struct osw_known fresh = {.hash = 0};
    struct osw_inputs inputs;
    struct osw_sandbox *sandbox;
    enum osw_state state;
    char text[256];
    bool right = false;

    if (!has_wrong_values(r) || run->agree.gang || !images)
        return;
    osw_pool_drop(&run->judge->pool, wrong->sandbox);
    if (!osw_expected_edit(run, &wrong->edits, wrong->call, images, &inputs))
        return;
    /* Only now: the reference ran, and may have needed its room. */
    sandbox = osw_judge_sandbox(run->judge, index, &r->build_ns, &state, text,
                                sizeof(text));
    if (sandbox)
        right = osw_attempt_first(run, &inputs, sandbox, &fresh, &alone);
    osw_expected_unedit(run, images);
    if (right)
        call_stale(run, "", r);
}
