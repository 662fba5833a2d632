/* worker/judge/eval/expected.c - inputs of a case, and the reference's outputs
 */
#include "worker/judge/eval/expected.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/inputs/generated.h"
#include "worker/judge/process/watch.h"
#include "worker/judge/timing/edited.h"

/* A longer call is not timed a second time. */
#define LONG_NS INT64_C(5000000000)

/* Operations of a case, at most, for its reference to run some 20 times more.
 */
#define APPEAL_FLOPS        0x1p31
#define DEVICE_APPEAL_FLOPS 0x1p38

/* Small cases are judged in the host's memory, also for a device with its own:
 * this avoids a switch between processes on the device.
 */
static struct osw_place *choose_place(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    bool small =
        run->own.trial.inputs_bytes <= OSW_WORKER_SMALL_BYTES && !run->large;

    return judge->device->ops->own_memory && !small
               ? &judge->places[OSW_ZONE_ARENA]
               : &judge->places[OSW_ZONE_WINDOW];
}

/* The state of cells without inputs, by the cause. */
static enum osw_state state_of(const struct osw_eval *run,
                               const struct osw_error *err)
{
    if (err->status == OSW_DEVICE)
        return OSW_STATE_DEVICE;
    return run->own.trial.n_tensors && osw_generated_any(&run->own.trial)
               ? OSW_STATE_REFERENCE
               : OSW_STATE_SKIPPED;
}

/* Fill the image in `place` for a trial, or for the case itself. */
static int fill(struct osw_eval *run, struct osw_trial *trial,
                struct osw_place *place, uint32_t rep, struct osw_error *err)
{
    bool own = trial == &run->own.trial;
    int rc;

    run->image_is_own = false;
    rc = run->world.size
             ? osw_world_fill(&run->world, trial, place, rep, err)
             : osw_generated_fill(run->judge, trial, place, rep,
                                  own ? run->bundle->digest : 0, err);
    run->image_is_own = own && rc == 0;
    return rc;
}

/* The images of all ranks of a collective op: only a gang has them. */
static int make_world(struct osw_eval *run, struct osw_error *err)
{
    const struct osw_gang *gang = run->bundle->gang;
    uint32_t size = gang ? gang->size : 1;

    if (osw_op_has_world(&run->judge->op, size))
        return gang ? osw_world_make(run->memory, &run->own.trial, gang->rank,
                                     size, &run->world, err)
                    : 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "a collective op: \"world\" of op.json is %d%s, and %u "
                    "worker%s to judge it",
                    run->judge->op.world,
                    run->judge->op.n_worlds ? " and more" : "", size,
                    gang ? "s are" : " is");
}

static void make_inputs(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();

    run->own.kind = -1;
    if (osw_trial_make(run->memory, &judge->op, run->bundle->case_text,
                       run->bundle->fill, judge->config.seed,
                       judge->places[OSW_ZONE_WINDOW].limit, &run->own.trial,
                       &err) < 0 ||
        make_world(run, &err) < 0 ||
        fill(run, &run->own.trial, choose_place(run), 0, &err) < 0)
        osw_eval_stop(run, state_of(run, &err), err.text);
    run->shared.fill_ns += osw_clock_ns() - t0;
}

/* --- the reference --- */

enum osw_state osw_expected_blamed(enum osw_state state)
{
    return state == OSW_STATE_DEVICE ? state : OSW_STATE_REFERENCE;
}

/* Start the reference's sandbox; NULL with the reason in text. */
static struct osw_sandbox *start_reference(struct osw_eval *run,
                                           enum osw_state *state, char *text,
                                           size_t size)
{
    struct osw_sandbox *sandbox =
        osw_judge_sandbox(run->judge, osw_eval_reference_index(run),
                          &run->shared.build_ns, state, text, size);

    run->reference = OSW_NO_SANDBOX;
    if (sandbox) {
        sandbox->pinned = true;
        run->reference = sandbox->id;
    }
    return sandbox;
}

/* Start the reference's sandbox again if it ended.  NULL: it cannot be started,
 * with the reason in *out, unless *out has one already or it is the device's.
 */
static struct osw_sandbox *have_reference(struct osw_eval *run,
                                          struct osw_oracle_result *out)
{
    struct osw_sandbox *sandbox = osw_eval_reference(run);
    enum osw_state state;
    char text[256];

    if (sandbox || run->judge->op.oracle == OSW_ORACLE_IDENTITY)
        return sandbox;
    sandbox = start_reference(run, &state, text, sizeof(text));
    if (!sandbox &&
        (state == OSW_STATE_DEVICE || out->state == OSW_STATE_NONE)) {
        out->state = osw_expected_blamed(state);
        snprintf(out->text, sizeof(out->text),
                 "the reference cannot be started again: %s", text);
    }
    return sandbox;
}

/* The reference's job for the current inputs, for appeals. */
static struct osw_oracle_job appeal_to(void *arg)
{
    struct osw_eval *run = arg;
    struct osw_oracle_result unused = {.state = OSW_STATE_NONE};

    return osw_eval_oracle_job(run, &run->own, have_reference(run, &unused));
}

void osw_expected_begin_appeals(struct osw_eval *run)
{
    run->appeals = (struct osw_appeal_reference){
        .memory = run->memory,
        .job = appeal_to,
        .arg = run,
        .flops = run->judge->device->ops->own_memory ? DEVICE_APPEAL_FLOPS
                                                     : APPEAL_FLOPS};
}

/* Run the reference.  If it is killed, or dies after it served other ops or
 * inputs, run it once more in a fresh process: such an end is rarely its own
 * fault, and without a reference all cells of the case are lost.
 */
static void run_reference(struct osw_eval *run, struct osw_inputs *inputs)
{
    struct osw_oracle_result *out = &inputs->want;
    bool again = true;

    for (int i = 0; i < 2 && again; i++) {
        struct osw_sandbox *sandbox = have_reference(run, out);
        struct osw_oracle_job job;

        if (!sandbox)
            return;
        job = osw_eval_oracle_job(run, inputs, sandbox);
        osw_oracle_run(&job, out);
        again = !osw_sandbox_alive(sandbox) &&
                (inputs->kind >= 0 || sandbox->n_before > 0 ||
                 sandbox->end.signal == SIGKILL);
    }
}

/* Without outputs, every implementation without outputs would agree. */
static bool makes_something(const struct osw_oracle_result *want)
{
    return want->state != OSW_STATE_NONE || want->n_outputs > 0;
}

/* Without values there is nothing to compare with, and cells that run well
 * end unverified; the shapes of outputs are then the implementation's own.
 */
static void ask_oracle(struct osw_eval *run)
{
    struct osw_oracle_result *want = &run->own.want;
    char text[OSW_BUILD_MAX_OUTPUT + 64] = "the reference: ";
    size_t said = strlen(text);
    enum osw_state state;
    int64_t t0;

    if (run->judge->op.oracle == OSW_ORACLE_IDENTITY)
        return;
    if (!start_reference(run, &state, text + said, sizeof(text) - said)) {
        osw_eval_stop(run, osw_expected_blamed(state), text);
        return;
    }
    t0 = osw_clock_ns();
    run_reference(run, &run->own);
    run->shared.reference_ns += osw_clock_ns() - t0;
    if (want->state != OSW_STATE_NONE)
        osw_eval_stop(run, want->state, want->text);
    else if (!makes_something(want))
        osw_eval_stop(run, OSW_STATE_REFERENCE,
                      "the reference made no output: there is nothing to "
                      "compare with");
    else
        osw_oracle_mark_written(want, &run->own.trial);
}

/* --- the case --- */

/* Do outputs, their copies and the inputs fit a window twice over? */
static bool fits_window(const struct osw_eval *run)
{
    uint64_t bytes = 2 * run->own.trial.inputs_bytes;

    for (uint32_t i = 0; i < run->own.want.n_outputs; i++)
        bytes +=
            2 * (uint64_t)osw_output_extent(&run->own.want.outputs[i].as_run);
    return bytes <= run->judge->pool.env.window_bytes / 2;
}

/* Files of the bundle, and the reference that its inputs' place asks for. */
static void prepare_files(struct osw_eval *run)
{
    size_t reference = osw_eval_reference_index(run);

    run->shared.build_ns +=
        osw_judge_build_ahead(run->judge, run->memory, run->bundle, reference);
    run->shared.build_ns +=
        osw_judge_load_ahead(run->judge, run->bundle, reference);
}

void osw_expected_make_case(struct osw_eval *run)
{
    const struct osw_place *place;

    make_inputs(run);
    if (run->stopped == OSW_STATE_NONE) {
        prepare_files(run);
        ask_oracle(run);
    }
    place = run->own.trial.place;
    if (!run->judge->device->ops->own_memory || !place ||
        place->zone != OSW_ZONE_WINDOW ||
        (!run->own.want.too_large && fits_window(run)))
        return;
    run->large = true;
    run->stopped = OSW_STATE_NONE;
    run->own.want = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    make_inputs(run);
    if (run->stopped == OSW_STATE_NONE)
        ask_oracle(run);
}

int osw_expected_restore(struct osw_eval *run, struct osw_error *err)
{
    int64_t t0 = osw_clock_ns();
    int rc = fill(run, &run->own.trial, run->own.trial.place, 0, err);

    run->shared.fill_ns += osw_clock_ns() - t0;
    return rc;
}

/* Its first calls may be slow, and others' work may hold up any: what a second
 * one takes counts, less its wait for a core.  An op whose second call is slow
 * as well is not asked again.
 */
void osw_expected_time_again(struct osw_eval *run)
{
    struct osw_sandbox *reference = osw_eval_reference(run);
    struct osw_oracle_job job;
    int64_t t0 = osw_clock_ns(), waited_ns, ns;

    if (!reference || run->judge->reference_slow ||
        !osw_eval_reference_is_slow(run) || run->own.want.call_ns > LONG_NS)
        return;
    job = osw_eval_oracle_job(run, &run->own, reference);
    waited_ns = osw_watch_waited(reference->pid);
    if (osw_oracle_arm(&job)) {
        ns = reference->result.call_ns -
             (osw_watch_waited(reference->pid) - waited_ns);
        if (ns < run->own.want.call_ns)
            run->own.want.call_ns = ns;
    }
    run->judge->reference_slow = osw_eval_reference_is_slow(run);
    run->shared.reference_ns += osw_clock_ns() - t0;
}

/* --- other inputs --- */

/* The reference did not run on other inputs and lives: these do not suit the
 * op, or there was too little memory for them.  No implementation is charged.
 */
static void excuse(struct osw_oracle_result *want)
{
    snprintf(want->note, sizeof(want->note), "%.*s",
             (int)sizeof(want->note) - 1, want->text);
    want->text[0] = '\0';
}

static bool expect(struct osw_eval *run, struct osw_inputs *inputs)
{
    struct osw_oracle_result *want = &inputs->want;
    int64_t t0 = osw_clock_ns();

    *want = (struct osw_oracle_result){.text = ""};
    run_reference(run, inputs);
    run->shared.reference_ns += osw_clock_ns() - t0;
    if (osw_eval_reference(run) && want->state != OSW_STATE_DEVICE)
        excuse(want);
    return want->have_shapes && want->n_outputs > 0;
}

bool osw_expected_again(struct osw_eval *run)
{
    struct osw_oracle_result before = run->own.want;

    if (run->judge->op.oracle == OSW_ORACLE_IDENTITY)
        return true;
    if (expect(run, &run->own) &&
        osw_eval_same_shapes(&run->own.want, &before)) {
        run->own.want.call_ns = before.call_ns;
        return true;
    }
    run->own.want = before;
    return false;
}

/* Nothing is filled anew while the case's own inputs are in memory. */
static bool permute_own(struct osw_eval *run, struct osw_error *err)
{
    struct osw_trial *own = &run->own.trial;
    uint64_t random = own->order;

    if (!run->image_is_own && fill(run, own, own->place, 0, err) < 0)
        return false;
    run->image_is_own =
        !(run->world.size ? osw_world_permute(&run->world, own)
                          : osw_trial_permute(own, own->image, &random));
    return !run->image_is_own;
}

bool osw_expected_make_trial(struct osw_eval *run, enum osw_trial_kind kind,
                             unsigned turn, uint32_t rep,
                             struct osw_inputs *out)
{
    const struct osw_fill *fills = osw_eval_trial_fills(run, kind, turn);
    struct osw_oracle_result *want = &out->want;
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    bool ok;

    *out = (struct osw_inputs){
        .kind = (int)kind,
        .trial = osw_trial_of_kind(&run->own.trial, kind, fills)};
    if ((!fills && osw_trial_has_fills(kind)) ||
        run->judge->op.oracle == OSW_ORACLE_IDENTITY ||
        !have_reference(run, want))
        return false;
    ok = kind == OSW_TRIAL_PERMUTED
             ? permute_own(run, &err)
             : fill(run, &out->trial, run->own.trial.place, rep, &err) == 0;
    run->shared.fill_ns += osw_clock_ns() - t0;
    if (!ok && err.status == OSW_DEVICE) {
        want->state = OSW_STATE_DEVICE;
        snprintf(want->text, sizeof(want->text), "%s", err.text);
    } else if (!ok) {
        snprintf(want->note, sizeof(want->note), "%.*s",
                 (int)sizeof(want->note) - 1, err.text);
    }
    return ok && expect(run, out);
}

static unsigned char *image_of(const struct osw_eval *run, uint32_t i)
{
    return osw_world_image(&run->world, &run->own.trial, i);
}

void osw_expected_unedit(const struct osw_eval *run,
                         struct osw_edits_undo undo[])
{
    for (uint32_t i = 0; i < osw_expected_images(run); i++)
        osw_edited_undo(&run->own.trial, image_of(run, i), &undo[i]);
}

bool osw_expected_edit(struct osw_eval *run, const struct osw_edits *edits,
                       uint64_t call, struct osw_edits_undo undo[],
                       struct osw_inputs *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_place *place = run->own.trial.place;
    bool done = true;

    *out = (struct osw_inputs){.kind = -1, .trial = run->own.trial};
    for (uint32_t i = 0; i < osw_expected_images(run); i++) {
        undo[i] = (struct osw_edits_undo){.n = 0};
        done = (!edits || osw_edited_apply(&out->trial, image_of(run, i), false,
                                           edits, call, &undo[i])) &&
               done;
    }
    if (done && place->ops->sync(place->device, &err) == 0 &&
        expect(run, out) && out->want.have_values)
        return true;
    osw_expected_unedit(run, undo);
    return false;
}
