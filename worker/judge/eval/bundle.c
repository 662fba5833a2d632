/* worker/judge/eval/bundle.c - all cells of one (op, case): made ready, run,
 * judged
 *
 * In four rounds, each over all implementations, so that inputs and expected
 * outputs are made once for all of them: on the case's own inputs; on those of
 * other trials; timing; and once more on new inputs behind it.  The baseline
 * goes first, so that it is there when the others are timed against it.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/contract/contract.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/crash_retry.h"
#include "worker/judge/eval/eval.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/eval/snapshot.h"
#include "worker/judge/inputs/generated.h"
#include "worker/judge/timing/timing.h"

enum {
    RECHECK_SAMPLES = 64,
    RECHECK_FEW = 16, /* where timing has called this very load often */
    AIR = 4, /* places of the pool for reference, baseline, and some air */
};

/* --- inputs and oracle --- */

/* Small cases are judged in the host's memory, also for a device with its own:
 * that saves the device the change between processes.
 */
static struct osw_place *choose_place(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    bool small =
        run->trial.inputs_bytes <= OSW_WORKER_SMALL_BYTES && !run->large;

    return judge->device->ops->own_memory && !small
               ? &judge->places[OSW_ZONE_ARENA]
               : &judge->places[OSW_ZONE_WINDOW];
}

/* No inputs: who is to blame? */
static enum osw_state state_of(const struct osw_eval *run,
                               const struct osw_error *err)
{
    if (err->status == OSW_DEVICE)
        return OSW_STATE_DEVICE;
    return run->trial.n_tensors && osw_generated_any(&run->trial)
               ? OSW_STATE_REFERENCE
               : OSW_STATE_SKIPPED;
}

static void make_inputs(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();

    if (osw_trial_make(run->memory, &judge->op, run->bundle->case_text,
                       run->bundle->fill, judge->config.seed,
                       judge->places[OSW_ZONE_WINDOW].limit, &run->trial,
                       &err) < 0 ||
        osw_generated_fill(judge, &run->trial, choose_place(run), 0,
                           run->bundle->digest, &err) < 0)
        osw_eval_stop(run, state_of(run, &err), err.text);
    run->shared.fill_ns += osw_clock_ns() - t0;
}

/* Without a reference: the device's fault, or its own. */
static enum osw_state blamed(enum osw_state state)
{
    return state == OSW_STATE_DEVICE ? state : OSW_STATE_REFERENCE;
}

/* One whose sandbox ended is started again; false, with the reason in *out
 * unless there is one, or it is the device: it cannot be.
 */
static bool have_reference(struct osw_eval *run, struct osw_oracle_result *out)
{
    enum osw_state state;
    char text[256];

    if (run->reference || run->judge->op.oracle == OSW_ORACLE_IDENTITY)
        return run->reference != NULL;
    run->reference =
        osw_judge_sandbox(run->judge, osw_eval_reference_index(run),
                          &run->shared.build_ns, &state, text, sizeof(text));
    if (run->reference) {
        run->reference->pinned = true;
        return true;
    }
    if (state == OSW_STATE_DEVICE || out->state == OSW_STATE_NONE) {
        out->state = blamed(state);
        snprintf(out->text, sizeof(out->text),
                 "the reference cannot be started again: %s", text);
    }
    return false;
}

/* Ask the reference.  One that is killed, or dies where other ops' were before
 * it, or behind the case's own inputs, is asked once more, in a fresh process:
 * that is rarely its own doing, and would cost all cells of the case.
 */
static void run_reference(struct osw_eval *run, struct osw_trial *inputs,
                          int kind, struct osw_oracle_result *out)
{
    bool killed = true;

    for (int i = 0; i < 2 && killed && have_reference(run, out); i++) {
        struct osw_sandbox *sandbox = run->reference;
        struct osw_oracle_job job = osw_eval_oracle_job(run, sandbox);

        job.trial_inputs = inputs;
        job.trial = kind;
        osw_oracle_run(&job, out);
        killed = !osw_sandbox_alive(sandbox) &&
                 (kind >= 0 || sandbox->n_before > 0 ||
                  sandbox->end.signal == SIGKILL);
        if (!osw_sandbox_alive(sandbox))
            run->reference = NULL;
    }
}

/* Without values there is nothing to compare with, and cells that run well
 * end unverified; the shapes of outputs are then the implementation's own.
 */
static void ask_oracle(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    const struct osw_op *op = &judge->op;
    enum osw_state state;
    char text[OSW_BUILD_MAX_OUTPUT + 64] = "the reference: ";
    size_t said = strlen(text);
    int64_t t0;

    if (op->oracle == OSW_ORACLE_IDENTITY)
        return;
    run->reference = osw_judge_sandbox(judge, osw_eval_reference_index(run),
                                       &run->shared.build_ns, &state,
                                       text + said, sizeof(text) - said);
    if (!run->reference) {
        osw_eval_stop(run, blamed(state), text);
        return;
    }
    run->reference->pinned = true;
    t0 = osw_clock_ns();
    run_reference(run, &run->trial, -1, &run->oracle);
    run->shared.reference_ns += osw_clock_ns() - t0;
    if (run->oracle.state != OSW_STATE_NONE)
        osw_eval_stop(run, run->oracle.state, run->oracle.text);
    else
        osw_oracle_mark_written(&run->oracle, &run->trial);
}

/* Do outputs, their copies and the inputs fit a window twice over? */
static bool fits_window(const struct osw_eval *run)
{
    uint64_t bytes = 2 * run->trial.inputs_bytes;

    for (uint32_t i = 0; i < run->oracle.n_outputs; i++)
        bytes +=
            2 * (uint64_t)osw_output_extent(&run->oracle.outputs[i].as_run);
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

/* Inputs and expected outputs, in the host's memory first when they are small,
 * and in the device's when that was not large enough.
 */
static void make_case(struct osw_eval *run)
{
    bool window;

    make_inputs(run);
    if (run->stopped == OSW_STATE_NONE) {
        prepare_files(run);
        ask_oracle(run);
    }
    window = run->judge->device->ops->own_memory && run->trial.place &&
             run->trial.place->zone == OSW_ZONE_WINDOW;
    if (!window || (!run->oracle.too_large && fits_window(run)))
        return;
    run->large = true;
    run->stopped = OSW_STATE_NONE;
    run->oracle = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    make_inputs(run);
    if (run->stopped == OSW_STATE_NONE)
        ask_oracle(run);
}

/* --- the first round: the case's own inputs --- */

/* One round over a group of cells, the baseline's first; each carries its
 * time.
 */
static void each(struct osw_eval *run,
                 void (*round)(struct osw_eval *run, uint32_t k))
{
    const struct osw_bundle *b = run->bundle;

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = run->from; k < run->to; k++) {
            bool first = strcmp(b->impls[k], b->baseline) == 0;
            int64_t t0 = osw_clock_ns();

            if (first != (pass == 0))
                continue;
            osw_timing_forget_dead(run);
            if (run->baseline)
                run->baseline->last_used = ++run->judge->pool.uses;
            if (run->reference)
                run->reference->last_used = ++run->judge->pool.uses;
            round(run, k);
            run->own_ns[k] += osw_clock_ns() - t0;
            if (run->judge->config.tick)
                run->judge->config.tick(run->judge->config.tick_arg);
        }
}

/* For who wants to look at the tensors of a verdict. */
static void show(const struct osw_eval *run, const char *impl,
                 const struct osw_trial *trial,
                 const struct osw_oracle_result *oracle,
                 const struct osw_sandbox *sandbox,
                 const struct osw_record *record)
{
    const struct osw_worker_config *config = &run->judge->config;

    if (config->capture)
        osw_snapshot(&(struct osw_snapshot_job){
            .capture = config->capture,
            .capture_arg = config->capture_arg,
            .trial = trial,
            .oracle = oracle,
            .sandbox = sandbox,
            .impl = impl,
            .record = record,
        });
}

/* Judge one implementation; its sandbox when it may be timed, else NULL. */
static struct osw_sandbox *judge_impl(struct osw_eval *run, const char *name,
                                      struct osw_verdict_memory *known,
                                      struct osw_record *record)
{
    struct osw_judge *judge = run->judge;
    struct osw_verdict_job job = osw_eval_verdict_job(run, known);
    size_t index = osw_eval_impl_index(&judge->op, name);
    enum osw_state state = OSW_STATE_LOAD;
    char text[OSW_BUILD_MAX_OUTPUT] = "no such implementation in the folder";
    struct osw_sandbox *sandbox = NULL;
    struct osw_record before;
    bool right;

    if (index != SIZE_MAX && osw_judge_is_broken(judge, index)) {
        record->status_id = OSW_STATE_SKIPPED;
        record->reason = "broken: three crashes or timeouts before "
                         "(--keep-going judges on)";
        return NULL;
    }
    if (index != SIZE_MAX)
        sandbox = osw_judge_sandbox(judge, index, &record->build_ns, &state,
                                    text, sizeof(text));
    if (!sandbox) {
        record->status_id = (uint8_t)state;
        record->phase_id = (uint8_t)(state == OSW_STATE_BUILD ? OSW_PHASE_BUILD
                                                              : OSW_PHASE_LOAD);
        record->reason = osw_arena_strdup(run->memory, text);
        show(run, name, &run->trial, &run->oracle, NULL, record);
        return NULL;
    }
    before = *record;
    right = osw_verdict_reach(&job, sandbox, record);
    record->output =
        osw_arena_strdup(run->memory, osw_sandbox_take_output(sandbox));
    if (!osw_sandbox_alive(sandbox) &&
        osw_crash_retry_is_doubtful(record, sandbox->mixed)) {
        struct osw_sandbox *again =
            osw_crash_retry(run, index, sandbox, &before, known, record);

        if (!again)
            return NULL;
        sandbox = again;
        right = record->status_id == OSW_STATE_PASS ||
                record->status_id == OSW_STATE_WEAK ||
                record->status_id == OSW_STATE_UNVERIFIED;
        record->output =
            osw_arena_strdup(run->memory, osw_sandbox_take_output(sandbox));
    }
    if (!osw_sandbox_alive(sandbox) &&
        osw_breaker_counts((enum osw_state)record->status_id))
        osw_breaker_strike(&judge->breaker, judge->op.impls[index].path);
    show(run, name, &run->trial, &run->oracle, sandbox, record);
    if (!right && osw_judge_is_short(judge)) {
        osw_pool_drop(&judge->pool,
                      sandbox); /* it may be what holds the memory */
        return NULL;
    }
    return right && osw_sandbox_alive(sandbox) ? sandbox : NULL;
}

static void judge_cell(struct osw_eval *run, uint32_t k)
{
    struct osw_record *record = &run->records[k];

    if (run->stopped != OSW_STATE_NONE) {
        record->status_id = (uint8_t)run->stopped;
        record->phase_id = OSW_PHASE_REFERENCE;
        record->reason = run->why;
        show(run, run->bundle->impls[k], &run->trial, &run->oracle, NULL,
             record);
        return;
    }
    judge_impl(run, run->bundle->impls[k], &run->known[k], record);
}

/* --- the second round: other inputs --- */

/* Cells that passed, if only weakly, and those that only integers can tell more
 * about.
 */
static bool goes_on(const struct osw_eval *run, uint32_t k,
                    enum osw_trial_kind kind)
{
    int status = run->records[k].status_id;

    return status == OSW_STATE_PASS || status == OSW_STATE_WEAK ||
           (kind == OSW_TRIAL_INTEGERS && run->known[k].doubtful);
}

static bool any_goes_on(const struct osw_eval *run, enum osw_trial_kind kind)
{
    for (uint32_t k = run->from; k < run->to; k++)
        if (goes_on(run, k, kind))
            return true;
    return false;
}

/* Expected outputs of a trial; false when there are none, with want->text why
 * where that is nobody's but the reference's.  An error that it returns, and
 * shapes that depend on values, mean that the inputs do not suit the op.
 */
static bool expect(struct osw_eval *run, struct osw_trial *trial,
                   enum osw_trial_kind kind, struct osw_oracle_result *want)
{
    int64_t t0 = osw_clock_ns();

    *want = (struct osw_oracle_result){.text = ""};
    run_reference(run, trial, (int)kind, want);
    run->shared.reference_ns += osw_clock_ns() - t0;
    if (run->reference)
        want->text[0] = '\0';
    return want->have_values && osw_eval_same_shapes(want, &run->oracle);
}

/* Inputs and expected outputs of a trial, in place of those of the case; false
 * as above.
 */
static bool make_trial(struct osw_eval *run, enum osw_trial_kind kind,
                       uint32_t rep, struct osw_trial *trial,
                       struct osw_oracle_result *want)
{
    const struct osw_fill *fills = osw_eval_trial_fills(run, kind);
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    bool ok;

    *want = (struct osw_oracle_result){.text = ""};
    if ((!fills && osw_trial_has_fills(kind)) ||
        run->judge->op.oracle == OSW_ORACLE_IDENTITY)
        return false;
    if (!have_reference(run, want))
        return false;
    *trial = run->trial;
    if (fills)
        trial->fills = fills;
    if (kind == OSW_TRIAL_PERMUTED)
        rep = 0;
    ok = osw_generated_fill(run->judge, trial, run->trial.place, rep, 0,
                            &err) == 0;
    if (ok && kind == OSW_TRIAL_PERMUTED)
        ok = osw_trial_permute(trial, trial->image, &run->judge->random);
    run->shared.fill_ns += osw_clock_ns() - t0;
    if (!ok && err.status == OSW_DEVICE) {
        want->state = OSW_STATE_DEVICE;
        snprintf(want->text, sizeof(want->text), "%s", err.text);
    } else if (!ok) {
        snprintf(want->note, sizeof(want->note), "%s", err.text);
    }
    return ok && expect(run, trial, kind, want);
}

/* Nobody can say what is right on other inputs: what that costs is what it
 * costs on the case's own.
 */
static void give_up(struct osw_eval *run, const struct osw_oracle_result *want)
{
    for (uint32_t k = run->from; want->text[0] && k < run->to; k++) {
        struct osw_record *r = &run->records[k];

        if (!goes_on(run, k, OSW_TRIAL_REDRAW))
            continue;
        r->status_id = (uint8_t)blamed(want->state);
        r->phase_id = OSW_PHASE_REFERENCE;
        r->reason =
            osw_arena_printf(run->memory, "on other inputs: %s", want->text);
    }
}

/* Inputs that cannot be drawn anew tell nothing of the implementations, but
 * those that pass have been tried on less: in the second round, or `late`, in
 * the last one alone.
 */
static void say_untried(struct osw_eval *run,
                        const struct osw_oracle_result *want, bool late)
{
    for (uint32_t k = run->from; want->note[0] && k < run->to; k++) {
        struct osw_record *r = &run->records[k];
        const char *said = r->reason ? r->reason : "";

        if (goes_on(run, k, OSW_TRIAL_REDRAW) &&
            late == (r->trials >> OSW_TRIAL_REDRAW & 1))
            r->reason = osw_arena_printf(
                run->memory, "%s%snot judged on other inputs%s: %s", said,
                *said ? "; " : "", late ? " once more" : "", want->note);
    }
}

/* The integers came out right: what was wrong before is the precision. */
static void end_doubt(struct osw_eval *run, uint32_t k, bool right)
{
    struct osw_record *r = &run->records[k];

    run->known[k].doubtful = false;
    if (!right || !OSW_CHECKS(DOUBT))
        return;
    r->status_id = OSW_STATE_PRECISION;
    r->reason = osw_arena_printf(
        run->memory,
        "right on small integers, but error over norm is up to "
        "%.3g: %s",
        r->max_norm_err, r->reason);
}

/* What ran before cannot even be loaded any more. */
static void lose(struct osw_eval *run, enum osw_state state, const char *text,
                 struct osw_record *r)
{
    r->status_id = (uint8_t)state;
    r->phase_id = OSW_PHASE_LOAD;
    r->reason =
        osw_arena_printf(run->memory, "a sandbox for other inputs: %s", text);
}

/* Wrong on inputs that it was called again on, or dead: what does a fresh
 * process make of them?  If that is right, something of earlier calls was kept.
 */
static void tell_stale(struct osw_eval *run, uint32_t k,
                       struct osw_sandbox *sandbox,
                       const struct osw_verdict_job *tried,
                       const struct osw_record *before)
{
    struct osw_verdict_job job = *tried;
    struct osw_record *r = &run->records[k], alone = *r;
    struct osw_verdict_memory fresh = {.hash = 0};
    size_t index = osw_eval_impl_index(&run->judge->op, run->bundle->impls[k]);
    bool ended = osw_crash_retry_is_end(r->status_id);
    enum osw_state state;
    char text[256];

    if (ended ? !osw_crash_retry_is_doubtful(r, sandbox->mixed)
              : (r->status_id != OSW_STATE_VALUE &&
                 r->status_id != OSW_STATE_NAN) ||
                    !OSW_CHECKS(FRESH_PROCESS))
        return;
    osw_pool_drop(&run->judge->pool, sandbox);
    sandbox = osw_judge_sandbox(run->judge, index, &r->build_ns, &state, text,
                                sizeof(text));
    job.known = &fresh;
    if (!sandbox && ended && state == OSW_STATE_DEVICE) {
        r->signal = before->signal; /* nobody can say whose doing it was */
        r->exit_code = before->exit_code;
        lose(run, state, text, r);
    }
    if (!sandbox || (ended && !osw_verdict_reach(&job, sandbox, &alone)) ||
        !osw_verdict_try(&job, sandbox, &alone))
        return;
    if (ended) {
        osw_crash_retry_excuse(run->memory, before, r);
        return;
    }
    r->status_id = OSW_STATE_STALE;
    r->reason = osw_arena_printf(
        run->memory, "right in a fresh process, wrong when called again: %s",
        r->reason);
}

/* A sandbox that gave way to others since the first round has to get as far as
 * it was: what shows only when it is called again would be missed.  False, with
 * the verdict in *r, when it does not.
 */
static bool catch_up(const struct osw_verdict_job *tried,
                     struct osw_sandbox *sandbox, struct osw_record *r)
{
    struct osw_verdict_memory fresh = {.hash = 0};
    struct osw_verdict_job job = *tried;
    struct osw_record again = *r;

    if (sandbox->case_id == job.case_id)
        return true;
    job.known = &fresh;
    again.status_id = OSW_STATE_NONE;
    if (osw_verdict_reach(&job, sandbox, &again))
        return true;
    *r = again;
    return false;
}

static void try_cell(struct osw_eval *run, uint32_t k)
{
    struct osw_record *r = &run->records[k], saved = *r;
    enum osw_trial_kind kind = run->other_kind;
    struct osw_verdict_job job = osw_eval_verdict_job(run, &run->known[k]);
    bool doubtful = run->known[k].doubtful, right;
    enum osw_state state;
    char text[256];
    struct osw_sandbox *sandbox;

    if (!goes_on(run, k, kind))
        return;
    sandbox = osw_judge_sandbox(
        run->judge, osw_eval_impl_index(&run->judge->op, run->bundle->impls[k]),
        &r->build_ns, &state, text, sizeof(text));
    if (!sandbox) {
        if (!doubtful)
            lose(run, state, text, r);
        return;
    }
    job.trial = run->other;
    job.oracle = run->other_want;
    job.weak = run->other_weak;
    job.kind = kind;
    right = (doubtful || catch_up(&job, sandbox, r)) &&
            osw_verdict_try(&job, sandbox, r);
    if (right)
        r->trials |= UINT32_C(1) << kind;
    else if (!doubtful)
        show(run, run->bundle->impls[k], run->other, run->other_want, sandbox,
             r);
    if (!right && !doubtful)
        tell_stale(run, k, sandbox, &job, &saved);
    if (doubtful && r->status_id != saved.status_id && !right)
        *r = saved; /* the verdict on its own inputs stands */
    if (doubtful)
        end_doubt(run, k, right);
}

static void run_trials(struct osw_eval *run)
{
    const enum osw_trial_kind *order = osw_eval_trial_order;

    if (run->stopped != OSW_STATE_NONE || !run->oracle.have_values ||
        !osw_eval_affords_trials(run))
        return;
    for (int i = 0; i < OSW_N_TRIALS; i++) {
        struct osw_oracle_result want;
        struct osw_trial trial;

        if (!(run->judge->op.trials >> order[i] & 1) ||
            !any_goes_on(run, order[i]))
            continue;
        if (!make_trial(run, order[i], 1, &trial, &want)) {
            give_up(run, &want);
            if (order[i] == OSW_TRIAL_REDRAW)
                say_untried(run, &want, false);
            continue;
        }
        run->other = &trial;
        run->other_want = &want;
        run->other_kind = order[i];
        run->other_weak =
            run->weak ? osw_eval_weakness(run, &trial, &want) : NULL;
        each(run, try_cell);
    }
}

/* --- the third round: timing --- */

/* The baseline when it is no cell of this bundle: the reference, or an
 * implementation that the filters left out.
 */
static void prepare_baseline(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    struct osw_record record;

    if (!osw_eval_wants_time(run) || run->stopped != OSW_STATE_NONE ||
        !b->baseline[0])
        return;
    if (strcmp(b->baseline, "reference") == 0) {
        /* Host code is nothing to time a device against. */
        if (run->oracle.have_values && run->reference &&
            run->reference->env->device == run->judge->device)
            run->baseline = run->reference;
        return;
    }
    for (uint32_t k = 0; k < b->n_impls; k++)
        if (strcmp(b->impls[k], b->baseline) == 0)
            return;
    osw_record_init(&record);
    run->baseline = judge_impl(run, b->baseline, &run->outside, &record);
    if (run->baseline)
        run->baseline->pinned = true;
    run->shared.build_ns += record.build_ns;
    run->shared.fill_ns += record.fill_ns;
    run->shared.run_ns += record.run_ns;
    run->shared.verify_ns += record.verify_ns;
}

/* Verdicts that are worth a time. */
static bool is_timed(const struct osw_record *r)
{
    return r->status_id == OSW_STATE_PASS || r->status_id == OSW_STATE_WEAK ||
           r->status_id == OSW_STATE_UNVERIFIED;
}

/* What was to be timed, and cannot be for what is nobody's fault. */
static void lose_timed(struct osw_eval *run, const struct osw_error *err)
{
    for (uint32_t k = run->from; k < run->to; k++)
        if (is_timed(&run->records[k]))
            lose(run, OSW_STATE_DEVICE, err->text, &run->records[k]);
}

/* Trials left other inputs in the sandboxes: the case's own come back. */
static bool restore_case(struct osw_eval *run)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    bool ok = osw_generated_fill(run->judge, &run->trial, run->trial.place, 0,
                                 run->bundle->digest, &err) == 0;

    run->shared.fill_ns += osw_clock_ns() - t0;
    if (err.status == OSW_DEVICE)
        lose_timed(run, &err);
    if (ok && run->baseline == run->reference && run->reference) {
        struct osw_oracle_job oracle = osw_eval_oracle_job(run, run->reference);

        t0 = osw_clock_ns();
        ok = osw_oracle_arm(&oracle);
        run->shared.reference_ns += osw_clock_ns() - t0;
    }
    return ok;
}

static void time_cell(struct osw_eval *run, uint32_t k)
{
    const char *name = run->bundle->impls[k];
    size_t index = osw_eval_impl_index(&run->judge->op, name);
    struct osw_record *r = &run->records[k];
    uint8_t status = r->status_id;
    struct osw_sandbox *sandbox;
    int64_t t0 = osw_clock_ns();

    if (!is_timed(r))
        return;
    r->status_id = OSW_STATE_NONE;
    sandbox = osw_timing_start(run, index, r);
    if (r->status_id == OSW_STATE_NONE)
        r->status_id = status;
    else
        r->phase_id = OSW_PHASE_TIME;
    r->run_ns += osw_clock_ns() - t0;
    if (!sandbox)
        return;
    if (strcmp(name, run->bundle->baseline) == 0) {
        run->baseline = sandbox;
        sandbox->pinned = true;
    }
    osw_timing_measure(run, index, sandbox, r);
}

/* --- the fourth round: what timed calls leave --- */

/* About as many as a block has, but no number that could be foreseen: who
 * counts calls has to come to other numbers than in timing, whose rounds may
 * each have begun anew.
 */
static uint32_t recheck_samples(const struct osw_eval *run,
                                const struct osw_record *r)
{
    int64_t block = run->judge->config.profile->block_ns;
    double sample = r->t_median_ns * r->n_inner;
    uint32_t most =
        osw_timing_begins_anew(run->judge) ? RECHECK_SAMPLES : RECHECK_FEW;
    uint32_t n =
        sample < (double)block ? (uint32_t)((double)block / sample) : 0;

    n = n < most ? n + 1 : most;
    return n + (uint32_t)(osw_random_next(&run->judge->random) % (n + 4));
}

/* How the calls of a recheck are judged; false: not right. */
static bool look_again(struct osw_eval *run, const struct osw_verdict_job *job,
                       struct osw_sandbox *sandbox, struct osw_record *r)
{
    uint32_t n = recheck_samples(run, r);

    return run->altered ? osw_verdict_altered(job, sandbox, 1 + n % 4,
                                              &run->judge->random, r)
                        : osw_verdict_recheck(job, sandbox, n, r);
}

static void recheck_cell(struct osw_eval *run, uint32_t k)
{
    struct osw_record *r = &run->records[k];
    struct osw_verdict_job job = osw_eval_verdict_job(run, &run->known[k]);
    enum osw_state state;
    int64_t t0;
    char text[256];
    struct osw_sandbox *sandbox;

    if (r->status_id != OSW_STATE_PASS || r->sample_n == 0)
        return;
    sandbox = osw_judge_sandbox(
        run->judge, osw_eval_impl_index(&run->judge->op, run->bundle->impls[k]),
        &r->build_ns, &state, text, sizeof(text));
    if (!sandbox)
        lose(run, state, text, r);
    if (!sandbox)
        return;
    job.trial = run->other;
    job.oracle = run->other_want;
    job.kind = OSW_TRIAL_REDRAW;
    t0 = osw_clock_ns();
    if (catch_up(&job, sandbox, r))
        (void)look_again(run, &job, sandbox, r);
    r->time_ns += osw_clock_ns() - t0;
}

/* The same inputs, altered in part, and what is expected of them. */
static bool alter_trial(struct osw_eval *run, struct osw_trial *trial,
                        struct osw_oracle_result *want)
{
    struct osw_error err = OSW_ERROR_INIT;

    return osw_trial_alter(trial, trial->image, &run->judge->random) &&
           trial->place->ops->sync(trial->place->device, &err) == 0 &&
           expect(run, trial, OSW_TRIAL_REDRAW, want);
}

static void recheck(struct osw_eval *run)
{
    struct osw_oracle_result want;
    struct osw_trial trial;

    if (!OSW_CHECKS(TIMED_RECHECK) || !osw_eval_affords_trials(run) ||
        !run->oracle.have_values || !any_goes_on(run, OSW_TRIAL_REDRAW))
        return;
    if (!make_trial(run, OSW_TRIAL_REDRAW, 2, &trial, &want)) {
        give_up(run, &want);
        say_untried(run, &want, true);
        return;
    }
    run->other = &trial;
    run->other_want = &want;
    run->other_kind = OSW_TRIAL_REDRAW;
    each(run, recheck_cell);
    if (!OSW_CHECKS(ALTERED) || !any_goes_on(run, OSW_TRIAL_REDRAW))
        return;
    run->altered = alter_trial(run, &trial, &want);
    if (run->altered)
        each(run, recheck_cell);
    else
        give_up(run, &want);
    run->altered = false;
}

/* --- all rounds --- */

/* After a big case, give its memory back; small ones reuse theirs.  Records
 * are out by now: the next bundle's fill carries the time.
 */
static void release(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    uint64_t big = judge->pool.keep_bytes;
    int64_t t0 = osw_clock_ns();

    osw_timing_forget_dead(run);
    osw_pool_sweep(&judge->pool);
    osw_pool_trim(&judge->pool);
    if (run->trial.inputs_bytes > big) {
        struct osw_place *host = &judge->places[OSW_ZONE_WINDOW];

        osw_device_cpu_ops.map_release(NULL, &host->image, 0);
        osw_device_cpu_ops.map_release(NULL, &host->private, 0);
    }
    if (run->reference)
        run->reference->pinned = false;
    if (run->baseline)
        run->baseline->pinned = false;
    judge->owed_ns = osw_clock_ns() - t0;
}

/* Inputs and expected outputs stand for the case's own. */
static void run_rounds(struct osw_eval *run)
{
    each(run, judge_cell);
    run_trials(run);
    if (!osw_eval_wants_time(run) || run->stopped != OSW_STATE_NONE ||
        !restore_case(run))
        return;
    osw_timing_know_device(run->judge);
    each(run, time_cell);
    recheck(run);
}

/* All rounds of one group of implementations, whose sandboxes live as long,
 * before those of the next.
 */
static void run_groups(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    uint32_t group = run->judge->pool.n_sandboxes - AIR;

    for (run->from = 0; run->from < b->n_impls; run->from = run->to) {
        run->to =
            b->n_impls - run->from > group ? run->from + group : b->n_impls;
        make_case(run);
        if (run->from == 0) {
            if (run->stopped == OSW_STATE_NONE)
                osw_eval_look_for_weakness(run);
            osw_eval_begin_records(run);
            prepare_baseline(run);
        }
        run_rounds(run);
    }
}

int osw_judge_bundle(struct osw_judge *judge, const struct osw_bundle *bundle,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    struct osw_eval run = {.judge = judge,
                           .bundle = bundle,
                           .memory = judge->case_memory,
                           .oracle = {.bytes = NAN, .flops = NAN}};

    osw_arena_reset(run.memory);
    if (osw_eval_begin(&run, err) < 0)
        return -1;
    run_groups(&run);
    osw_timing_settle(judge);
    for (uint32_t k = 0; k < bundle->n_impls; k++) {
        osw_eval_finish_record(&run, run.own_ns[k], &run.records[k]);
        emit(arg, &run.records[k]);
    }
    release(&run);
    return 0;
}
