/* worker/judge/eval/snapshot.c - the tensors of a cell, brought to the host */
#include "worker/judge/eval/snapshot.h"

#include "ops/record/state.h"

struct snapshot {
    const struct osw_snapshot_job *job;
    osw_arena_t *memory;
    struct osw_capture_input *inputs;
    struct osw_capture_output *outputs;
    struct osw_capture out;
};

static void fail(struct snapshot *s)
{
    s->out.failed = "no memory for copies of its tensors";
}

/* A copy in the host's memory; NULL without memory, and for NULL. */
static void *bring(struct snapshot *s, const void *from, uint64_t bytes)
{
    const struct osw_place *place = s->job->trial->place;
    void *to = from ? osw_arena_alloc(s->memory, bytes) : NULL;

    if (to)
        place->ops->copy(place->device, to, from, bytes);
    else if (from)
        fail(s);
    return to;
}

/* --- inputs --- */

static void add_input(struct snapshot *s, size_t i)
{
    const struct osw_trial *trial = s->job->trial;
    const struct osw_trial_tensor *t = &trial->tensors[i];
    struct osw_capture_input *in = &s->inputs[i];

    in->arg = trial->args[t->arg].name;
    for (size_t k = 0; k < trial->n_tensors; k++) {
        in->n_items += trial->tensors[k].arg == t->arg;
        in->item += k < i && trial->tensors[k].arg == t->arg;
    }
    in->view.desc = t->desc;
    in->view.data = bring(s, trial->image + t->offset, t->extent);
}

static void add_inputs(struct snapshot *s)
{
    const struct osw_trial *trial = s->job->trial;

    if (!trial->place || !trial->image)
        return; /* the case was not made */
    s->inputs =
        osw_arena_array(s->memory, trial->n_tensors, sizeof(*s->inputs));
    if (!s->inputs) {
        fail(s);
        return;
    }
    for (size_t i = 0; i < trial->n_tensors; i++)
        add_input(s, i);
    s->out.inputs = s->inputs;
    s->out.n_inputs = (uint32_t)trial->n_tensors;
}

/* --- outputs --- */

static void add_expected(struct snapshot *s, uint32_t i)
{
    const struct osw_oracle_output *o = &s->job->oracle->outputs[i];
    uint64_t doubles = (uint64_t)osw_output_numel(&o->as_run) * sizeof(double);
    struct osw_capture_output *out = &s->outputs[i];

    out->rtol = o->accept.rtol;
    out->atol = o->accept.atol;
    out->ntol = o->accept.ntol;
    out->to_the_bit = o->accept.exact;
    out->want.desc = &o->desc;
    if (!s->job->oracle->have_values)
        return;
    out->exact = bring(s, o->want.exact, doubles);
    out->norm = bring(s, o->want.norm, doubles);
    if (!o->want.exact)
        out->want.data = bring(s, o->want.view.data,
                               (uint64_t)osw_output_extent(&o->as_run));
}

static void add_got(struct snapshot *s, uint32_t i)
{
    const struct osw_output *o = &s->job->sandbox->result.outputs[i];
    const unsigned char *base =
        osw_sandbox_zone(s->job->sandbox, s->job->sandbox->zone).base;
    struct osw_tensor_desc *desc = osw_arena_alloc(s->memory, sizeof(*desc));

    if (!desc) {
        fail(s);
        return;
    }
    *desc = (struct osw_tensor_desc){.dtype = o->dtype,
                                     .ndim = o->ndim,
                                     .strided = true,
                                     .shape = o->shape,
                                     .strides = o->strides};
    s->outputs[i].got.desc = desc;
    s->outputs[i].got.data =
        bring(s, base + o->offset, (uint64_t)osw_output_extent(o));
}

/* Did the last call leave outputs?  A result may be of an earlier case. */
static bool has_outputs(const struct osw_snapshot_job *job)
{
    enum osw_state state = job->record->status_id;

    return job->sandbox && osw_sandbox_alive(job->sandbox) &&
           job->sandbox->result.code == 0 &&
           osw_state_group(state) != OSW_GROUP_ERROR &&
           osw_state_group(state) != OSW_GROUP_INFRA &&
           state != OSW_STATE_SKIPPED;
}

static void add_outputs(struct snapshot *s)
{
    uint32_t n_want = s->job->oracle->n_outputs;
    uint32_t n_got =
        has_outputs(s->job) ? s->job->sandbox->result.n_outputs : 0;
    uint32_t n = n_want > n_got ? n_want : n_got;

    s->outputs = osw_arena_array(s->memory, n, sizeof(*s->outputs));
    if (!s->outputs) {
        fail(s);
        return;
    }
    for (uint32_t i = 0; i < n_want; i++)
        add_expected(s, i);
    for (uint32_t i = 0; i < n_got; i++)
        add_got(s, i);
    s->out.outputs = s->outputs;
    s->out.n_outputs = n;
}

void osw_snapshot(const struct osw_snapshot_job *job)
{
    const struct osw_place *place = job->trial->place;
    struct osw_error err = OSW_ERROR_INIT;
    struct snapshot s = {
        .job = job,
        .memory = osw_arena_create(),
        .out = {.impl = job->impl, .record = job->record},
    };

    if (s.memory) {
        add_inputs(&s);
        add_outputs(&s);
    } else {
        fail(&s);
    }
    if (place && place->ops->sync(place->device, &err) < 0)
        s.out.failed = err.text;
    job->capture(job->capture_arg, &s.out);
    osw_arena_destroy(s.memory);
}
