/* worker/judge/eval/exec.c - make calls of an implementation */
#include "worker/judge/eval/exec.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "ops/notation/tensor.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/memory/layout.h"
#include "worker/judge/process/watch.h"

#define SECOND_LOOK_NS INT64_C(2000000)
#define MOST_LOOKS     25 /* so often, while its threads wait for a core */
#define CLEAR_NS       INT64_C(1000000000) /* the caches, before one sample */

enum {
    WORKSPACE_BYTES = 64 << 20, /* of an arena, before one asks for more */
    MORE_WORKSPACE = 8,         /* times as much with each try */
};

static bool fail(struct osw_findings *f, enum osw_fault fault,
                 enum osw_phase phase, const char *text)
{
    f->fault = fault;
    f->phase = phase;
    f->text = text ? text : "";
    return false;
}

static bool fail_ended(const struct osw_exec *e,
                       const struct osw_sandbox *sandbox, enum osw_phase phase,
                       struct osw_findings *f)
{
    f->end_state = sandbox->end.state;
    f->end_signal = sandbox->end.signal;
    f->exit_code = sandbox->end.exit_code;
    return fail(f, OSW_FAULT_ENDED, phase,
                osw_arena_strdup(e->memory, sandbox->end.text));
}

/* --- layout --- */

/* Where outputs that alias an argument lie. */
static void place_aliases(const struct osw_inputs *in,
                          struct osw_layout *layout)
{
    const struct osw_trial *trial = &in->trial;

    for (uint32_t i = 0; i < in->want.n_outputs; i++)
        if (layout->outputs[i].alias >= 0)
            for (size_t t = trial->n_tensors; t-- > 0;)
                if (trial->tensors[t].alias == layout->outputs[i].alias)
                    layout->outputs[i].offset = trial->tensors[t].offset;
}

bool osw_exec_lay_out(osw_arena_t *memory, const struct osw_inputs *in,
                      struct osw_layout *out)
{
    const struct osw_oracle_result *want = &in->want;
    struct osw_layout l = {
        .outputs = osw_arena_array(memory, want->n_outputs, sizeof(*l.outputs)),
        .n_outputs = want->n_outputs,
        .restores =
            osw_arena_array(memory, in->trial.n_tensors, sizeof(*l.restores)),
    };

    if (!l.outputs || !l.restores)
        return false;
    for (uint32_t i = 0; i < want->n_outputs; i++) {
        l.outputs[i] = want->outputs[i].as_run;
        l.outputs[i].exact = l.outputs[i].norm = OSW_NO_OFFSET;
    }
    l.outputs_end = osw_layout_outputs(l.outputs, want->n_outputs,
                                       in->trial.inputs_bytes, INT64_MAX);
    if (l.outputs_end == OSW_NO_OFFSET)
        return false;
    l.spill = osw_trial_place_restores(&in->trial, NULL, l.outputs_end,
                                       INT64_MAX, l.restores, &l.n_restores);
    if (l.spill == OSW_NO_OFFSET)
        return false;
    place_aliases(in, &l);
    *out = l;
    return true;
}

/* --- memory before a call --- */

static const struct osw_place *place_of(const struct osw_exec_call *call)
{
    return call->inputs->trial.place;
}

static void bring_inputs(const struct osw_exec_call *call)
{
    const struct osw_trial *trial = &call->inputs->trial;

    osw_trial_bring(trial, call->zone);
}

static void put_back_inputs(const struct osw_exec_call *call)
{
    const struct osw_trial *trial = &call->inputs->trial;

    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->tensors[i].written)
            place_of(call)->ops->copy(place_of(call)->device,
                                      call->zone + trial->tensors[i].offset,
                                      trial->image + trial->tensors[i].offset,
                                      trial->tensors[i].extent);
}

/* Outputs and the guards around them hold the pattern before a call. */
static void poison_outputs(const struct osw_exec_call *call)
{
    uint64_t from = call->inputs->trial.inputs_bytes;

    place_of(call)->ops->set(place_of(call)->device, call->zone + from,
                             call->pattern, call->layout->outputs_end - from);
}

void osw_exec_load_slice(struct osw_exec_call *call, unsigned char *slice)
{
    call->zone = slice;
    bring_inputs(call);
    poison_outputs(call);
}

/* Have room for the case in the sandbox, and `workspace` bytes in an arena. */
static bool fit_zone(const struct osw_exec *e, struct osw_sandbox *sandbox,
                     struct osw_exec_call *call, uint64_t workspace,
                     struct osw_findings *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t need = call->layout->spill;

    sandbox->zone = place_of(call)->zone;
    if (sandbox->zone == OSW_ZONE_ARENA)
        need += workspace;
    if (osw_judge_ensure_bytes(e->judge, sandbox, sandbox->zone, need, &err) ==
        0) {
        call->zone = osw_sandbox_zone(sandbox, sandbox->zone).base;
        return true;
    }
    if (!osw_sandbox_alive(sandbox))
        return fail_ended(e, sandbox, OSW_PHASE_FILL, f);
    return fail(
        f, err.status == OSW_DEVICE ? OSW_FAULT_DEVICE : OSW_FAULT_NOT_MADE,
        OSW_PHASE_FILL,
        osw_arena_printf(e->memory,
                         "outputs do not fit the memory of the case "
                         "(--max-bytes): %s",
                         err.text));
}

static bool prepare(const struct osw_exec *e, struct osw_sandbox *sandbox,
                    struct osw_exec_call *call, uint64_t workspace,
                    struct osw_findings *f)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (!fit_zone(e, sandbox, call, workspace, f))
        return false;
    if (call->bring)
        bring_inputs(call);
    else
        put_back_inputs(call);
    if (call->bring && e->time)
        osw_trial_place_restores(
            &call->inputs->trial, call->zone, call->layout->outputs_end,
            osw_sandbox_zone(sandbox, sandbox->zone).bytes,
            call->layout->restores, &call->layout->n_restores);
    osw_sandbox_used(sandbox, call->layout->spill);
    poison_outputs(call);
    if (place_of(call)->ops->sync(place_of(call)->device, &err) == 0)
        return true;
    return fail(f, OSW_FAULT_DEVICE, OSW_PHASE_FILL,
                osw_arena_strdup(e->memory, err.text));
}

/* In the host's memory the inputs move along, a device gets them anew. */
struct osw_exec_call osw_exec_elsewhere(struct osw_sandbox *sandbox,
                                        unsigned char pattern)
{
    bool moves = OSW_CHECKS(MOVED);

    if (moves)
        osw_sandbox_shift(sandbox);
    return (struct osw_exec_call){
        .first = moves,
        .moved = moves,
        .bring = moves && sandbox->env->device->ops->own_memory,
        .pattern = pattern};
}

/* --- requests --- */

void osw_exec_put_case(const struct osw_exec *e, struct osw_sandbox *sandbox,
                       const struct osw_exec_call *call, struct osw_writer *w)
{
    const struct osw_trial *trial = &call->inputs->trial;
    struct osw_case_request request = {
        .mode = OSW_MODE_RUN,
        .zone = sandbox->zone,
        .shift = sandbox->env->device->ops->own_memory ? sandbox->shift : 0,
        .moved = call->moved,
        .pattern = call->pattern,
        .seed = trial->seed,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = trial->offsets,
        .n_expected = call->layout->n_outputs,
        .expected = call->layout->outputs,
        .spill = call->layout->spill,
        .n_restores = call->layout->n_restores,
        .restores = call->layout->restores,
    };

    sandbox->case_id = e->case_id;
    sandbox->n_args = request.n_args;
    if (!sandbox->first_case)
        sandbox->first_case = e->case_id;
    sandbox->mixed |= sandbox->first_case != e->case_id;
    osw_protocol_put_case(w, &request);
}

static void put_request(const struct osw_exec *e, struct osw_sandbox *sandbox,
                        const struct osw_exec_call *call, struct osw_writer *w)
{
    const struct osw_time_request timed = {
        .n_samples = call->n_samples,
        .n_inner = call->n_inner ? call->n_inner : 1,
        .cold = call->cold,
        .refresh = true};

    if (call->n_samples) {
        osw_protocol_put_time(w, &timed);
    } else if (call->first) {
        osw_exec_put_case(e, sandbox, call, w);
    } else {
        osw_write_u8(w, OSW_TALK_CALL);
        osw_write_u8(w, call->pattern);
    }
}

/* --- answers --- */

void osw_exec_read_result(const struct osw_result *r, struct osw_findings *f)
{
    if (r->device_code != 0 && (r->code != OSW_UNSUPPORTED || r->lost)) {
        f->from_device = true;
        f->exit_code = r->device_code;
    } else if (r->code != 0) {
        f->unsupported = r->code == OSW_UNSUPPORTED;
        f->no_memory = r->no_memory;
        f->exit_code = r->code;
    } else {
        return;
    }
    (void)fail(f, OSW_FAULT_RETURNED,
               r->late ? OSW_PHASE_PREPARE : OSW_PHASE_RUN, r->text);
}

bool osw_exec_leaves_gaps(const struct osw_result *r)
{
    for (uint32_t i = 0; i < r->n_outputs; i++)
        if (osw_tensor_has_gaps(r->outputs[i].ndim, r->outputs[i].shape,
                                r->outputs[i].strides))
            return true;
    return false;
}

/* Copy the text, which must outlive the message; end a process that has lost
 * its device.
 */
static bool keep_result(const struct osw_exec *e, struct osw_sandbox *sandbox,
                        struct osw_exec_call *call, struct osw_findings *f)
{
    call->result = &sandbox->result;
    osw_sandbox_used(sandbox, call->result->high_water);
    osw_exec_read_result(call->result, f);
    if (f->fault == OSW_FAULT_NONE)
        return true;
    f->text = osw_arena_strdup(e->memory, f->text);
    if (call->n_samples)
        f->phase = OSW_PHASE_TIME;
    if (call->result->lost)
        osw_sandbox_end_as(sandbox, OSW_STATE_CUDA, f->text ? f->text : "");
    return false;
}

/* Clearing a processor's caches takes long; this is not part of a call's time.
 */
static int64_t samples_deadline(const struct osw_exec *e,
                                const struct osw_sandbox *sandbox,
                                const struct osw_exec_call *call)
{
    bool clears = call->cold && !sandbox->env->device->ops->own_memory;

    return e->deadline_ns + (clears ? CLEAR_NS * call->n_samples : 0);
}

static bool take_samples(const struct osw_exec *e, struct osw_sandbox *sandbox,
                         const struct osw_exec_call *call,
                         struct osw_findings *f)
{
    static struct osw_time_reply reply; /* large; one judge per process */
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    if (osw_sandbox_receive(sandbox, OSW_TALK_SAMPLES,
                            samples_deadline(e, sandbox, call), &r) < 0)
        return fail_ended(e, sandbox, OSW_PHASE_TIME, f);
    if (osw_protocol_get_samples(&r, &reply, &err) < 0) {
        osw_sandbox_fail_protocol(sandbox, err.text);
        return fail_ended(e, sandbox, OSW_PHASE_TIME, f);
    }
    if (reply.lost) {
        osw_sandbox_end_as(sandbox, OSW_STATE_CUDA, reply.text);
        return fail_ended(e, sandbox, OSW_PHASE_TIME, f);
    }
    if (reply.code != 0) {
        f->exit_code = reply.code;
        return fail(f, OSW_FAULT_RETURNED, OSW_PHASE_TIME,
                    osw_arena_strdup(e->memory, reply.text));
    }
    return true;
}

static bool take_answer(const struct osw_exec *e, struct osw_sandbox *sandbox,
                        struct osw_exec_call *call, struct osw_findings *f)
{
    enum osw_phase phase = call->n_samples ? OSW_PHASE_TIME : OSW_PHASE_RUN;
    int rc;

    if (call->n_samples && !take_samples(e, sandbox, call, f))
        return false;
    rc = call->n_samples ? osw_sandbox_look(sandbox, e->deadline_ns)
                         : osw_sandbox_result(sandbox, e->deadline_ns);
    return rc == 0 ? keep_result(e, sandbox, call, f)
                   : fail_ended(e, sandbox, phase, f);
}

/* One try, with so much workspace. */
static bool run_once(const struct osw_exec *e, struct osw_sandbox *sandbox,
                     struct osw_exec_call *call, uint64_t workspace,
                     struct osw_findings *f)
{
    struct osw_writer w;
    int64_t t0 = osw_clock_ns(), t1;
    bool ok = prepare(e, sandbox, call, workspace, f);

    t1 = osw_clock_ns();
    e->record->fill_ns += t1 - t0;
    if (!ok)
        return false;
    w = osw_sandbox_writer(sandbox);
    put_request(e, sandbox, call, &w);
    if (w.overrun)
        return fail(f, OSW_FAULT_NOT_MADE, OSW_PHASE_RUN,
                    "the case has too many arguments");
    if (call->n_samples)
        osw_sandbox_drain(sandbox);
    ok = osw_sandbox_send(sandbox, &w) == 0
             ? take_answer(e, sandbox, call, f)
             : fail_ended(e, sandbox, OSW_PHASE_RUN, f);
    /* Not after each call: it takes a system call for each thread. */
    if (ok && (call->first || call->n_samples) &&
        osw_sandbox_end_if_copied(sandbox))
        ok = fail_ended(e, sandbox, OSW_PHASE_RUN, f);
    e->record->run_ns += osw_clock_ns() - t1;
    return ok;
}

/* Did it fail while idle sandboxes held the device's memory?  Then they are
 * ended now.
 */
static bool was_crowded(const struct osw_exec *e,
                        const struct osw_sandbox *sandbox,
                        const struct osw_findings *f)
{
    return f->fault == OSW_FAULT_RETURNED && !f->unsupported &&
           osw_sandbox_alive(sandbox) && osw_judge_relieve(e->judge, sandbox);
}

bool osw_exec_run(const struct osw_exec *e, struct osw_sandbox *sandbox,
                  struct osw_exec_call *call, struct osw_findings *f)
{
    uint64_t workspace = WORKSPACE_BYTES;

    for (;;) {
        *f = (struct osw_findings){.text = ""};
        if (run_once(e, sandbox, call, workspace, f))
            return true;
        call->bring = true;
        if (was_crowded(e, sandbox, f))
            continue;
        if (!f->no_memory || !call->first || !osw_sandbox_alive(sandbox) ||
            sandbox->zone != OSW_ZONE_ARENA ||
            workspace >= place_of(call)->limit)
            return false;
        workspace *= MORE_WORKSPACE;
    }
}

bool osw_exec_look(const struct osw_exec *e, struct osw_sandbox *sandbox,
                   struct osw_exec_call *call, struct osw_findings *f)
{
    *f = (struct osw_findings){.text = ""};
    call->zone = osw_sandbox_zone(sandbox, sandbox->zone).base;
    return osw_sandbox_look(sandbox, e->deadline_ns) == 0
               ? keep_result(e, sandbox, call, f)
               : fail_ended(e, sandbox, OSW_PHASE_TIME, f);
}

/* An answer to LOOK must describe the same outputs as the call's answer; else
 * it is false.
 */
static bool same_outputs(const struct osw_result *a, const struct osw_result *b)
{
    return a->n_outputs == b->n_outputs &&
           memcmp(a->outputs, b->outputs,
                  a->n_outputs * sizeof(a->outputs[0])) == 0;
}

bool osw_exec_still_changes(const struct osw_exec *e,
                            struct osw_sandbox *sandbox,
                            const struct osw_look *look, uint64_t hash)
{
    static struct osw_result before; /* large; one judge per process */
    int64_t t0 = osw_clock_ns();

    if (!OSW_CHECKS(SECOND_LOOK) || !osw_sandbox_alive(sandbox))
        return false;
    for (int i = 0; i < MOST_LOOKS; i++) {
        osw_clock_sleep_ns(SECOND_LOOK_NS);
        if (!osw_watch_has_work(sandbox->pid))
            break;
    }
    e->record->verify_ns += osw_clock_ns() - t0;
    /* A device's window holds only a copy of the outputs: have it updated. */
    if (sandbox->zone == OSW_ZONE_WINDOW &&
        sandbox->env->device->ops->own_memory) {
        before = *look->result;
        if (osw_sandbox_look(sandbox, e->deadline_ns) < 0)
            return false;
        if (!same_outputs(&before, &sandbox->result)) {
            osw_sandbox_fail_protocol(sandbox, "outputs that were not made");
            return false;
        }
    }
    return osw_look_hash(look) != hash;
}
