/* worker/judge/eval/warm_up.c - a process sees another case before its first */
#include "worker/judge/eval/warm_up.h"

#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/inputs/generated.h"

/* Its inputs; the image is a copy, since cases have theirs in the same place.
 */
static struct osw_inputs *make(struct osw_judge *judge, const char *case_text,
                               const char *fill)
{
    struct osw_place *place = &judge->places[OSW_ZONE_WINDOW];
    struct osw_inputs *in = osw_arena_alloc(judge->op_memory, sizeof(*in));
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *image;

    if (!in)
        return NULL;
    *in = (struct osw_inputs){.kind = -1};
    if (osw_trial_make(judge->op_memory, &judge->op, case_text, fill,
                       judge->config.seed, OSW_WORKER_SMALL_BYTES, &in->trial,
                       &err) < 0 ||
        osw_generated_fill(judge, &in->trial, place, 0, 0, &err) < 0)
        return NULL;
    image = osw_arena_alloc(judge->op_memory, (size_t)in->trial.inputs_bytes);
    if (image)
        memcpy(image, in->trial.image, (size_t)in->trial.inputs_bytes);
    in->trial.image = image;
    return image ? in : NULL;
}

int64_t osw_warm_up_make(struct osw_judge *judge,
                         const struct osw_bundle *bundle)
{
    int64_t t0 = osw_clock_ns();

    if (!bundle->warm_up || judge->warm_up_made || !OSW_CHECKS(WARM_UP))
        return 0;
    judge->warm_up_made = true;
    judge->warm_up = make(judge, bundle->warm_up, bundle->warm_up_fill);
    judge->warm_up_case = ++judge->n_cases;
    return osw_clock_ns() - t0;
}

/* Make the call; false: the process is of no use any more.  One that keeps the
 * device's memory would have none for its own case.
 */
static bool call_once(struct osw_eval *run, struct osw_sandbox *sandbox,
                      struct osw_record *spent)
{
    struct osw_judge *judge = run->judge;
    struct osw_exec exec = osw_eval_exec(run, spent);
    struct osw_findings found = {.text = ""};
    struct osw_layout layout;
    struct osw_exec_call call = {.inputs = judge->warm_up,
                                 .layout = &layout,
                                 .first = true,
                                 .bring = true,
                                 .pattern = OSW_POISON_A};

    exec.case_id = judge->warm_up_case;
    exec.time = false;
    if (!osw_exec_lay_out(run->memory, judge->warm_up, &layout))
        return true;
    if (!osw_exec_run(&exec, sandbox, &call, &found) &&
        (found.fault != OSW_FAULT_RETURNED || !osw_sandbox_alive(sandbox)))
        return false;
    return !osw_judge_is_short(judge);
}

struct osw_sandbox *osw_warm_up_sandbox(struct osw_eval *run, size_t index,
                                        struct osw_record *spent,
                                        enum osw_state *state, char *text,
                                        size_t size)
{
    struct osw_judge *judge = run->judge;
    struct osw_sandbox *sandbox =
        osw_judge_sandbox(judge, index, &spent->build_ns, state, text, size);

    if (!sandbox || sandbox->first_case || !judge->warm_up || run->agree.gang ||
        judge->tried[index].warm_up_ended || call_once(run, sandbox, spent))
        return sandbox;
    judge->tried[index].warm_up_ended = true;
    osw_pool_drop(&judge->pool, sandbox->id);
    osw_judge_await_room(judge);
    return osw_judge_sandbox(judge, index, &spent->build_ns, state, text, size);
}
