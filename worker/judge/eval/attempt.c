/* worker/judge/eval/attempt.c - an implementation, on one set of inputs */
#include "worker/judge/eval/attempt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/gang/meeting.h"
#include "worker/judge/timing/edited.h"

enum { REPEATS = 2 /* of a call that was wrong */ };

/* Error over norm: arithmetic of 8 bits or more never has as much. */
#define COARSEST 0x1p-4

/* One implementation, judged on one set of inputs. */
struct attempt {
    struct osw_eval *run;
    struct osw_exec exec;
    struct osw_inputs *inputs;
    struct osw_sandbox *sandbox;
    struct osw_layout layout;
    struct osw_known *known;
    struct osw_record *record;
    struct osw_exec_call call;
    struct osw_findings found; /* of that call */
};

static struct attempt begin(struct osw_eval *run, struct osw_inputs *inputs,
                            struct osw_sandbox *sandbox,
                            struct osw_known *known, struct osw_record *record)
{
    struct attempt a = {.run = run,
                        .exec = osw_eval_exec(run, record),
                        .inputs = inputs,
                        .sandbox = sandbox,
                        .known = known,
                        .record = record};

    record->check_id = (uint8_t)run->check;
    return a;
}

/* --- the verdict goes to the record --- */

static bool charge(struct attempt *a, enum osw_state state,
                   enum osw_phase phase, const char *text)
{
    a->record->status_id = (uint8_t)state;
    a->record->phase_id = (uint8_t)phase;
    a->record->reason = osw_arena_strdup(a->run->memory, text);
    if (!a->record->reason)
        a->record->reason = "";
    return false;
}

/* Decide by the evidence; false, with the verdict in the record, when anything
 * is wrong.
 */
static bool decide(struct attempt *a, const struct osw_evidence *evidence)
{
    struct osw_verdict verdict;

    osw_verdict_of(evidence, &verdict);
    osw_findings_keep_errors(evidence->call, a->record);
    if (verdict.state == OSW_STATE_NONE)
        return true;
    a->record->exit_code = evidence->call->exit_code;
    if (evidence->call->fault == OSW_FAULT_ENDED)
        a->record->signal = evidence->call->end_signal;
    return charge(a, verdict.state, verdict.phase, verdict.text);
}

/* --- one call --- */

static bool lay_out(struct attempt *a)
{
    return osw_exec_lay_out(a->run->memory, a->inputs, &a->layout) ||
           charge(a, OSW_STATE_SKIPPED, OSW_PHASE_FILL, "no memory");
}

static struct osw_look look_of(const struct attempt *a,
                               const struct osw_findings *before)
{
    return (struct osw_look){
        .memory = a->run->memory,
        .op = &a->run->judge->op,
        .inputs = a->inputs,
        .layout = &a->layout,
        .check = a->run->check,
        .pattern = a->call.pattern,
        .result = a->call.result,
        .zone = a->call.zone,
        .own_memory = a->sandbox->env->device->ops->own_memory,
        .timed = a->call.n_samples > 0,
        .before = before,
        .appeals = &a->run->appeals,
        .appealed = osw_eval_reference_trial(a->run, a->inputs)};
}

static bool has_own_shapes(const struct attempt *a)
{
    return osw_eval_same_shapes(&a->inputs->want, &a->run->own.want);
}

static void call_and_look(struct attempt *a, const struct osw_findings *before)
{
    bool pinned = a->sandbox->pinned, came_back;
    struct osw_look look;
    int64_t t0;

    a->call.inputs = a->inputs;
    a->call.layout = &a->layout;
    if (a->call.first)
        a->sandbox->reshaped = !has_own_shapes(a);
    came_back = osw_exec_run(&a->exec, a->sandbox, &a->call, &a->found);
    if (!came_back)
        osw_meeting_leave(&a->run->agree, a->sandbox, a->run->memory,
                          &a->found);
    osw_meeting_await(&a->run->agree);
    if (!came_back || a->call.blind)
        return;
    t0 = osw_clock_ns();
    look = look_of(a, before);
    a->sandbox->pinned = true; /* an appeal may ask for memory */
    osw_look(&look, &a->found);
    a->sandbox->pinned = pinned;
    a->record->verify_ns += osw_clock_ns() - t0;
}

/* Make the call in a->call.  True: its outputs are right, in all of a gang. */
static bool make_call(struct attempt *a, const struct osw_findings *before)
{
    call_and_look(a, before);
    osw_agree_findings(&a->run->agree, &a->found);
    return a->found.all.fault == OSW_FAULT_NONE;
}

/* --- what else has to be known --- */

/* Wrong values may be unfinished ones: give other threads a moment.  True: some
 * change, in any member of a gang.
 */
static bool look_again(struct attempt *a, struct osw_evidence *e)
{
    struct osw_look look = look_of(a, NULL);

    e->changing =
        osw_exec_still_changes(&a->exec, a->sandbox, &look, e->call->hash);
    if (e->changing)
        e->changed_hash = osw_look_hash(&look);
    return osw_agree_any(&a->run->agree, e->changing);
}

/* Does the same call on the same inputs give other outputs the second time? */
static void repeat_call(struct attempt *a, uint64_t hash)
{
    struct attempt again = *a;

    for (int i = 0; i < REPEATS && !a->known->varies; i++) {
        again.call =
            (struct osw_exec_call){.pattern = a->call.pattern, .bring = true};
        (void)make_call(&again, NULL);
        if (!again.found.compared)
            return; /* it ended otherwise: no values to compare */
        a->known->varies = again.found.hash != hash;
    }
}

static void ask_further(struct attempt *a, struct osw_evidence *e)
{
    bool changing = e->changing;

    if (e->call->all.fault != OSW_FAULT_VALUES)
        return;
    if (!changing)
        changing = look_again(a, e);
    if (!changing && !e->timed && !e->call->untouched && !a->run->agree.gang &&
        OSW_CHECKS(NONDETERMINISTIC))
        repeat_call(a, e->call->hash);
}

uint32_t osw_attempt_replay(struct osw_eval *run, struct osw_inputs *inputs,
                            struct osw_sandbox *sandbox, uint32_t n,
                            uint64_t hashes[])
{
    struct osw_known unused = {.hash = 0};
    struct osw_record spent;
    struct attempt a;
    uint32_t done = 0;

    osw_record_init(&spent);
    a = begin(run, inputs, sandbox, &unused, &spent);
    if (!lay_out(&a))
        return 0;
    while (done < n) {
        a.call = (struct osw_exec_call){
            .first = done == 0, .bring = true, .pattern = OSW_POISON_A};
        (void)make_call(&a, NULL);
        if (!a.found.compared)
            break;
        hashes[done++] = a.found.hash;
    }
    return done;
}

/* --- the first calls --- */

/* Could lower precision explain the errors?  Then none is as large as the terms
 * themselves.  The trial on integers decides, if the op has it.
 */
static bool may_be_precision(const struct attempt *a,
                             const struct osw_findings *f)
{
    return a->inputs->kind < 0 && f->errors.n_bad > 0 && f->errors.n_nan == 0 &&
           f->errors.max_norm < COARSEST &&
           a->run->check != OSW_CHECK_FREIVALDS &&
           a->inputs->want.outputs[f->errors.bad_output].want.norm != NULL;
}

/* So it is in a gang if it may be so in each member that is wrong. */
static bool fail_first(struct attempt *a, struct osw_evidence *e)
{
    bool doubtful;

    ask_further(a, e);
    (void)decide(a, e);
    doubtful = a->record->status_id == OSW_STATE_NONE ||
               (a->record->status_id == OSW_STATE_VALUE &&
                may_be_precision(a, e->call));
    a->known->doubtful = osw_agree_all(&a->run->agree, doubtful);
    return false;
}

bool osw_attempt_first(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, struct osw_known *known,
                       struct osw_record *record)
{
    struct attempt a = begin(run, inputs, sandbox, known, record);
    struct osw_evidence e = {.kind = inputs->kind, .call = &a.found};
    struct osw_findings first;

    if (!lay_out(&a))
        return false;
    (void)osw_sandbox_take_output(sandbox); /* of other cases, of loading */
    a.call = (struct osw_exec_call){
        .first = true, .bring = true, .pattern = OSW_POISON_A};
    /* To tell poison from a result, repeat the call over other poison.  Before
     * that, look whether late writes arrive: the next call may wait for them.
     */
    if (!make_call(&a, NULL)) {
        if (!a.found.all.untouched || look_again(&a, &e))
            return fail_first(&a, &e);
    }
    first = a.found;
    e.before = &first;
    a.call = osw_exec_elsewhere(sandbox, OSW_POISON_B);
    e.moved = a.call.moved;
    if (!make_call(&a, &first))
        return fail_first(&a, &e);
    if (osw_findings_clean(&first) && first.hash != a.found.hash &&
        !run->agree.gang && osw_exec_leaves_gaps(a.call.result)) {
        first = a.found; /* bits are compared over the same poison */
        a.call = (struct osw_exec_call){.pattern = OSW_POISON_B};
        if (!make_call(&a, &first))
            return fail_first(&a, &e);
    }
    return osw_attempt_end_right(run, inputs, sandbox, &first, &a.found,
                                 a.call.result, known, record);
}

/* --- when they were right --- */

/* End with a pass; its reason holds all notes. */
static void end_pass(struct attempt *a, const struct osw_findings *last,
                     const struct osw_result *result)
{
    bool own = a->sandbox->traits.own_outputs;
    const char *notes[4] = {own && osw_eval_has_new_outputs(&a->inputs->want)
                                ? "outputs are the code's own: guards and "
                                  "unwritten n/a"
                                : "",
                            own ? result->text : "", a->inputs->want.note,
                            last->appeal ? last->appeal : ""};
    char text[1024] = "";
    size_t used = 0;

    for (int i = 0; i < 4; i++)
        if (*notes[i] && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     used ? "; " : "", notes[i]);
    charge(a, OSW_STATE_PASS, OSW_PHASE_NONE, text);
}

/* Compare the errors with those of the baseline, if op.json bounds the ratio.
 */
static bool is_worse_than_baseline(struct attempt *a,
                                   const struct osw_findings *f, char *text,
                                   size_t size)
{
    const struct osw_op *op = &a->run->judge->op;
    double n = (double)f->errors.n_elem, base = osw_eval_baseline_rms(a->run);

    a->known->rms = n > 0 ? sqrt(f->errors.sum_sq / n) : 0;
    snprintf(text, size, "rms error %.3g is more than %g x the baseline's %.3g",
             a->known->rms, op->ratio, base);
    return OSW_CHECKS(RATIO) && op->ratio > 0 && base > 0 &&
           a->known->rms > op->ratio * base;
}

bool osw_attempt_end_right(struct osw_eval *run, struct osw_inputs *inputs,
                           struct osw_sandbox *sandbox,
                           const struct osw_findings *first,
                           const struct osw_findings *last,
                           const struct osw_result *result,
                           struct osw_known *known, struct osw_record *record)
{
    const struct osw_op *op = &run->judge->op;
    struct attempt a = begin(run, inputs, sandbox, known, record);
    const struct osw_evidence e = {
        .kind = inputs->kind,
        .call = last,
        .before = first,
        .deterministic = OSW_CHECKS(NONDETERMINISTIC) && op->deterministic};
    char text[256];

    osw_eval_keep_work(result, record);
    record->repeats = first->hash != last->hash ? 2 : 1;
    known->hash = last->hash;
    known->error = last->errors.max_abs;
    if (!decide(&a, &e))
        return false;
    if (is_worse_than_baseline(&a, last, text, sizeof(text)))
        return charge(&a, OSW_STATE_PRECISION, OSW_PHASE_VERIFY, text);
    if (op->oracle != OSW_ORACLE_INDEPENDENT) {
        record->check_id = OSW_CHECK_NONE;
        snprintf(text, sizeof(text),
                 "no independent reference: expected %.64s_reference.c, .cu or "
                 ".py, found none; the oracle is %s",
                 op->folder, osw_oracle_name(op->oracle));
        charge(&a, OSW_STATE_UNVERIFIED, OSW_PHASE_VERIFY, text);
    } else if (inputs->weak) {
        snprintf(text, sizeof(text), "%s would pass too", inputs->weak);
        charge(&a, OSW_STATE_WEAK, OSW_PHASE_VERIFY, text);
    } else {
        end_pass(&a, last, result);
    }
    return true;
}

/* --- other inputs --- */

/* The record keeps the errors on the case's own inputs, unless others decide,
 * or the own ones are integers, on which there are none.
 */
static bool end_trial(struct attempt *a, struct osw_record *record, bool right)
{
    struct osw_record *tried = a->record;

    a->known->hash = a->found.hash;
    a->known->error = a->found.errors.max_abs;
    if (!right) {
        *record = *tried;
        return false;
    }
    record->fill_ns = tried->fill_ns;
    record->run_ns = tried->run_ns;
    record->verify_ns = tried->verify_ns;
    if (a->run->check == OSW_CHECK_FREIVALDS)
        osw_findings_keep_errors(&a->found, record);
    osw_verdict_strengthen(a->run->memory, a->inputs->kind,
                           a->inputs->weak != NULL, record);
    if (a->found.appeal) /* rounding explains its errors */
        osw_verdict_say(a->run->memory, record,
                        osw_verdict_prefix(a->inputs->kind), a->found.appeal);
    return true;
}

/* Arguments are sent once more for outputs of other shapes. */
static bool needs_case(const struct attempt *a)
{
    return a->sandbox->case_id != a->run->case_id || a->sandbox->reshaped ||
           !has_own_shapes(a);
}

/* A result may look like poison: -1 is all ones.  False: there is no sandbox to
 * call it again in.
 */
static bool call_over_other_poison(struct attempt *a)
{
    if (!osw_sandbox_alive(a->sandbox))
        return false;
    a->call = (struct osw_exec_call){
        .bring = true, .pattern = OSW_POISON_OTHER(a->call.pattern)};
    (void)make_call(a, NULL);
    return true;
}

bool osw_attempt_trial(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, struct osw_known *known,
                       struct osw_record *record)
{
    struct osw_record tried = *record;
    struct attempt a = begin(run, inputs, sandbox, known, &tried);
    struct osw_evidence e = {.kind = inputs->kind,
                             .call = &a.found,
                             .earlier_hash = known->hash,
                             .earlier_error = known->error};
    bool right;

    tried.status_id = OSW_STATE_NONE;
    right = lay_out(&a);
    if (right) {
        struct osw_findings first;

        a.call = (struct osw_exec_call){.first = needs_case(&a),
                                        .bring = true,
                                        .pattern = OSW_POISON_OF(inputs->kind)};
        right = make_call(&a, NULL);
        first = a.found;
        if (!right && first.all.untouched && call_over_other_poison(&a))
            e.before = &first;
        if (!right) {
            ask_further(&a, &e);
            (void)decide(&a, &e);
        }
    }
    return end_trial(&a, record, right);
}

static struct osw_exec_call timed_call(const struct attempt *a, uint32_t n)
{
    return (struct osw_exec_call){.bring = true,
                                  .pattern = OSW_POISON_B,
                                  .n_samples = n,
                                  .n_inner = a->record->n_inner,
                                  .cold = a->record->cold};
}

/* Outputs of other shapes need a call before the timed ones. */
static bool begin_timed(struct attempt *a)
{
    a->call = (struct osw_exec_call){
        .first = true, .bring = true, .pattern = OSW_POISON_B};
    return !needs_case(a) || make_call(a, NULL);
}

/* Make timed calls over poison, twice: without new poison, the right outputs of
 * early calls would hide later ones that wrote nothing. */
static bool make_timed(struct attempt *a, uint32_t n)
{
    uint32_t counts[2] = {n, 1 + n % 4};
    bool right = begin_timed(a);

    for (int i = 0; i < 2 && right; i++) {
        a->call = timed_call(a, counts[i]);
        right = make_call(a, NULL);
    }
    return right;
}

bool osw_attempt_timed(struct osw_eval *run, struct osw_inputs *inputs,
                       struct osw_sandbox *sandbox, uint32_t n_samples,
                       struct osw_known *known, struct osw_record *record)
{
    struct osw_record tried = *record;
    struct attempt a = begin(run, inputs, sandbox, known, &tried);
    struct osw_evidence e = {.kind = inputs->kind,
                             .timed = true,
                             .call = &a.found,
                             .earlier_hash = known->hash,
                             .earlier_error = known->error};
    bool right = lay_out(&a);

    tried.status_id = OSW_STATE_NONE;
    if (right) {
        right = make_timed(&a, n_samples);
        if (!right) {
            ask_further(&a, &e);
            (void)decide(&a, &e);
        }
    }
    return end_trial(&a, record, right);
}

/* Check the outputs of the last call against those that edited inputs give. */
static struct osw_look look_at_edited(struct attempt *a)
{
    struct osw_look look = look_of(a, NULL);

    look.timed = true;
    osw_look(&look, &a->found);
    return look;
}

/* Do wrong outputs agree better with the unedited inputs?  Then they are stale.
 * Where all is new the first wrong element tells: tiny ones are right for any.
 */
static bool fits_earlier(struct attempt *a, const struct osw_edits *edits,
                         const struct osw_findings *found)
{
    struct osw_edits_undo none;
    struct osw_inputs own;
    struct osw_look look;
    struct attempt other = *a;

    other.inputs = &own;
    if (found->fault != OSW_FAULT_VALUES || found->errors.n_bad == 0 ||
        !osw_sandbox_alive(a->sandbox) ||
        !osw_expected_edit(a->run, NULL, 0, &none, &own))
        return false;
    look = look_at_edited(&other);
    return other.found.compared &&
           (edits->whole ? osw_look_explains(&look, &found->errors)
                         : other.found.errors.n_bad < found->errors.n_bad);
}

/* The sandbox undid its edits of inputs: repeat them there, so that they can be
 * compared with the image.  True: its outputs are right, in all of a gang.
 */
static bool call_is_right(struct attempt *a, const struct osw_edits *edits,
                          uint64_t call)
{
    const struct osw_trial *trial = &a->inputs->trial;
    struct osw_edits_undo zone;

    if (osw_exec_look(&a->exec, a->sandbox, &a->call, &a->found)) {
        if (osw_edited_apply(trial, a->call.zone, true, edits, call, &zone))
            (void)look_at_edited(a);
        osw_edited_undo(trial, a->call.zone, &zone);
    }
    osw_agree_findings(&a->run->agree, &a->found);
    return a->found.all.fault == OSW_FAULT_NONE;
}

bool osw_attempt_between(struct osw_eval *run, struct osw_sandbox *sandbox,
                         const struct osw_edits *edits, uint64_t call,
                         struct osw_record *record)
{
    struct osw_known unused = {.hash = 0};
    struct osw_edits_undo *images =
        osw_arena_array(run->memory, osw_expected_images(run), sizeof(*images));
    struct osw_inputs inputs;
    struct attempt a = begin(run, &run->own, sandbox, &unused, record);
    struct osw_evidence e = {.kind = -1, .timed = true, .altered = true};
    struct osw_findings decisive;
    bool known = images && osw_expected_edit(run, edits, call, images, &inputs);
    bool ready = osw_agree_all(&run->agree, known && lay_out(&a)), right;

    if (!known)
        return true;    /* there are no expected outputs */
    a.inputs = &inputs; /* in the places of the case's own outputs */
    a.call = (struct osw_exec_call){
        .inputs = &inputs, .layout = &a.layout, .pattern = edits->pattern};
    right = ready ? call_is_right(&a, edits, call) : run->agree.gang != NULL;
    decisive = a.found;
    if (!right && a.call.zone && OSW_CHECKS(UNTOUCHED) &&
        !run->judge->device->ops->own_memory)
        decisive.untouched |= osw_edited_is_left(edits, call, a.call.zone);
    e.call = &decisive;
    if (!right && ready && !run->agree.gang) { /* steps of one process */
        ask_further(&a, &e);
        osw_expected_unedit(run, images);
        e.earlier = !e.changing && fits_earlier(&a, edits, &decisive);
    }
    if (!right && ready)
        (void)decide(&a, &e);
    osw_expected_unedit(run, images);
    return right;
}

bool osw_attempt_arm(struct osw_eval *run, struct osw_sandbox *sandbox,
                     struct osw_record *record)
{
    struct osw_known unused = {.hash = 0};
    struct attempt a = begin(run, &run->own, sandbox, &unused, record);
    const struct osw_evidence e = {.kind = -1, .timed = true, .call = &a.found};

    if (!lay_out(&a))
        return false;
    a.call =
        (struct osw_exec_call){.first = true,
                               .bring = true,
                               .blind = true,
                               .pattern = osw_edited_pattern(&run->own.trial)};
    return make_call(&a, NULL) || decide(&a, &e);
}
