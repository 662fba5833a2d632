/* worker/judge/eval/oracle.c - what the outputs of a case should be */
#include "worker/judge/eval/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/notation/tensor.h"
#include "worker/judge/compare/terms.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/inputs/written.h"
#include "worker/judge/memory/layout.h"

enum { SPILL_BYTES = 256 << 20 /* of an arena, for outputs yet unknown */ };

struct copier {
    const struct osw_zone_memory from;
    struct osw_place *place;
    uint64_t used;
};

static void fail(struct osw_oracle_result *out, enum osw_state state,
                 const char *text)
{
    out->state = state;
    snprintf(out->text, sizeof(out->text), "%s", text);
}

/* A reference in host code has its zone in the host's memory, whatever the
 * place is that its inputs come from.
 */
static enum osw_zone zone_of(const struct osw_oracle_job *job)
{
    return job->sandbox->env->device->ops->own_memory
               ? job->trial_inputs->place->zone
               : OSW_ZONE_WINDOW;
}

bool osw_oracle_put(const struct osw_oracle_job *job,
                    struct osw_zone_memory zone, struct osw_writer *w,
                    struct osw_oracle_result *out)
{
    struct osw_trial *trial = job->trial_inputs;
    struct osw_restore *restores =
        osw_arena_array(job->memory, trial->n_tensors, sizeof(*restores));
    struct osw_case_request request = {
        .mode = job->meta_only ? OSW_MODE_META : OSW_MODE_RUN,
        .zone = job->sandbox->zone,
        .shift = job->sandbox->env->device->ops->own_memory
                     ? job->sandbox->shift
                     : 0,
        .pattern = OSW_GUARD_BYTE,
        .seed = trial->seed,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = trial->offsets,
        .restores = restores,
        .rank = job->world ? job->world->rank : 0,
        .world = job->world ? job->world->size : 0,
    };

    if (!restores) {
        fail(out, OSW_STATE_OOM, "no memory for a request");
        return false;
    }
    if (!job->meta_only)
        trial->place->ops->copy(trial->place->device, zone.base, trial->image,
                                trial->inputs_bytes);
    if (job->of_reference && !job->meta_only)
        osw_trial_other_guards(trial, zone.base,
                               !job->sandbox->env->device->ops->own_memory);
    request.spill = osw_trial_place_restores(
        trial, job->meta_only ? NULL : zone.base, trial->inputs_bytes,
        zone.bytes, restores, &request.n_restores);
    if (request.spill == OSW_NO_OFFSET) {
        fail(out, OSW_STATE_SKIPPED,
             "inputs written in place do not fit twice (--max-bytes)");
        return false;
    }
    osw_protocol_put_case(w, &request);
    job->sandbox->n_args = request.n_args;
    if (w->overrun)
        fail(out, OSW_STATE_SKIPPED, "the case has too many arguments");
    return !w->overrun;
}

/* Ask for one run, or for descriptions, with `bytes` in the zone at least;
 * false when there is no result.
 */
static bool ask(const struct osw_oracle_job *job, uint64_t bytes,
                struct osw_oracle_result *out)
{
    struct osw_sandbox *sandbox = job->sandbox;
    struct osw_writer w = osw_sandbox_writer(sandbox);
    struct osw_place *place = job->trial_inputs->place;
    struct osw_error err = OSW_ERROR_INIT;

    sandbox->zone = zone_of(job);
    if (job->fit(job->fit_arg, sandbox, sandbox->zone, bytes, &err) < 0) {
        fail(out,
             osw_sandbox_alive(sandbox) ? OSW_STATE_SKIPPED
                                        : OSW_STATE_REFERENCE,
             osw_sandbox_alive(sandbox) ? err.text : sandbox->end.text);
        out->too_large = sandbox->zone == OSW_ZONE_WINDOW;
        return false;
    }
    if (!osw_oracle_put(job, osw_sandbox_zone(sandbox, sandbox->zone), &w, out))
        return false;
    if (place->ops->sync(place->device, &err) < 0) {
        fail(out, OSW_STATE_DEVICE, err.text);
        return false;
    }
    if (osw_sandbox_send(sandbox, &w) == 0 &&
        osw_sandbox_result(sandbox, job->deadline_ns) == 0)
        return true;
    snprintf(out->text, sizeof(out->text), "the reference: %s",
             sandbox->end.text);
    out->state = OSW_STATE_REFERENCE;
    return false;
}

static uint64_t least_bytes(const struct osw_oracle_job *job)
{
    uint64_t inputs = job->trial_inputs->inputs_bytes;

    return zone_of(job) == OSW_ZONE_WINDOW ? inputs : 4 * inputs + SPILL_BYTES;
}

static bool was_crowded(const struct osw_oracle_job *job)
{
    const struct osw_result *result = &job->sandbox->result;

    return (result->device_code != 0 ||
            (result->code != 0 && result->code != OSW_UNSUPPORTED)) &&
           !result->lost && job->relieve &&
           job->relieve(job->fit_arg, job->sandbox);
}

/* An arena grows until the reference has enough, or there is no more. */
static bool ask_growing(const struct osw_oracle_job *job,
                        struct osw_oracle_result *out)
{
    uint64_t bytes = least_bytes(job);

    for (;;) {
        if (!ask(job, bytes, out))
            return false;
        if (was_crowded(job))
            continue;
        if (!job->sandbox->result.no_memory ||
            job->sandbox->zone == OSW_ZONE_WINDOW ||
            bytes > 4 * job->trial_inputs->place->limit)
            return true;
        bytes *= 2;
    }
}

static void say_unsupported(const struct osw_result *result,
                            struct osw_oracle_result *out)
{
    out->state = OSW_STATE_UNVERIFIED;
    snprintf(out->text, sizeof(out->text),
             "the reference does not support this case%s%s",
             result->text[0] ? ": " : "", result->text);
}

static bool accept(const struct osw_oracle_job *job,
                   const struct osw_result *result,
                   struct osw_oracle_result *out)
{
    if (result->device_code != 0) {
        snprintf(out->text, sizeof(out->text), "the reference: %s",
                 result->text);
        out->state = OSW_STATE_REFERENCE;
        if (result->lost)
            osw_sandbox_end_as(job->sandbox, OSW_STATE_CUDA, result->text);
        return false;
    }
    if (result->code == 0)
        return true;
    out->too_large = result->no_memory && job->sandbox->zone == OSW_ZONE_WINDOW;
    if (result->no_memory)
        fail(out, OSW_STATE_SKIPPED,
             "the reference needs more memory than the case was given "
             "(--max-bytes)");
    else if (result->code == OSW_UNSUPPORTED && job->meta_only)
        fail(out, OSW_STATE_UNVERIFIED,
             "a check by Freivalds' method needs <op>_meta in the reference");
    else if (result->code == OSW_UNSUPPORTED)
        say_unsupported(result, out);
    else
        snprintf(out->text, sizeof(out->text), "the reference returned %d%s%s",
                 result->code, result->text[0] ? ": " : "", result->text);
    if (out->state == OSW_STATE_NONE)
        out->state = OSW_STATE_REFERENCE;
    return false;
}

/* --- keeping what it made --- */

static uint64_t aligned(uint64_t at)
{
    return (at + OSW_LAYOUT_ALIGN - 1) / OSW_LAYOUT_ALIGN * OSW_LAYOUT_ALIGN;
}

static uint64_t exact_bytes(const struct osw_output *o)
{
    return (uint64_t)osw_output_n_exact(o) * sizeof(double);
}

/* Does what the reference wrote count, and exact values are for appeals? */
static bool is_written(const struct osw_result *result,
                       const struct osw_output *o)
{
    return result->beside ||
           osw_dtype_info((int)o->dtype)->class == OSW_CLASS_COMPLEX;
}

/* Bytes that copies of all outputs take. */
static uint64_t private_bytes(const struct osw_result *result,
                              const struct osw_written_output *all, uint32_t n)
{
    uint64_t bytes = OSW_PLACE_SCRATCH;

    for (uint32_t i = 0; i < n; i++) {
        const struct osw_output *o = &all[i].output;

        if (o->exact != OSW_NO_OFFSET)
            bytes += aligned(exact_bytes(o));
        if (o->exact == OSW_NO_OFFSET || is_written(result, o))
            bytes += aligned((uint64_t)osw_output_extent(o));
        if (o->norm != OSW_NO_OFFSET)
            bytes += aligned(exact_bytes(o));
    }
    return bytes;
}

static void *take(struct copier *t, uint64_t from, uint64_t bytes)
{
    unsigned char *to = (unsigned char *)t->place->private.base + t->used;

    t->place->ops->copy(t->place->device, to,
                        (const unsigned char *)t->from.base + from, bytes);
    t->used += aligned(bytes);
    return to;
}

static void take_values(struct copier *t, const struct osw_result *result,
                        struct osw_oracle_output *o)
{
    const struct osw_output *run = &o->as_run;

    if (run->exact != OSW_NO_OFFSET)
        o->exact = take(t, run->exact, exact_bytes(run));
    if (o->exact && !is_written(result, run)) {
        o->want.exact = o->exact;
        if (run->norm != OSW_NO_OFFSET)
            o->want.norm = take(t, run->norm, exact_bytes(run));
        return;
    }
    o->want.view.desc = &o->desc;
    o->want.view.data = take(t, run->offset, (uint64_t)osw_output_extent(run));
}

static void describe(struct osw_oracle_output *o, const struct osw_output *from)
{
    o->as_run = *from;
    o->desc = (struct osw_tensor_desc){
        .dtype = from->dtype,
        .ndim = from->ndim,
        .strided = true,
        .shape = o->as_run.shape,
        .strides = o->as_run.strides,
    };
}

/* --- which errors are allowed --- */

static void allow_errors(const struct osw_oracle_job *job,
                         struct osw_oracle_result *out)
{
    struct osw_terms_job terms = {
        .op = job->op,
        .inputs = job->trial_inputs,
        .flops = isnan(out->flops) ? job->flops : out->flops,
        .collective = job->world != NULL,
    };
    struct osw_tolerance_job t;

    for (uint32_t i = 0; i < out->n_outputs; i++) {
        double n = (double)osw_output_numel(&out->outputs[i].as_run);

        terms.n_output += n;
        terms.n_largest = fmax(terms.n_largest, n);
    }
    t = osw_terms_of_case(&terms);
    t.trial = job->trial;
    t.signed_zero = job->signed_zero;
    for (uint32_t i = 0; i < out->n_outputs; i++) {
        struct osw_oracle_output *o = &out->outputs[i];

        o->tolerance = t;
        o->tolerance.equal = fmax(t.equal, osw_terms_equal(&terms, &o->desc));
        o->tolerance.dtype = osw_dtype_info((int)o->as_run.dtype);
        o->tolerance.norms = o->want.norm && OSW_CHECKS(NORMS);
        o->accept = osw_tolerance_accept(&o->tolerance);
    }
}

/* Do an output's exact values still hold only the bytes from before the call?
 */
static bool is_unfilled(const struct osw_place *place,
                        const struct osw_oracle_output *o)
{
    uint64_t bytes = exact_bytes(&o->as_run);

    return o->exact && bytes > 0 &&
           place->ops->check(place->device, o->exact, bytes, OSW_UNFILLED) < 0;
}

/* True when all are filled; else *out says which is not. */
static bool check_filled(const struct osw_place *place, uint32_t n,
                         struct osw_oracle_result *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_unfilled(place, &out->outputs[i])) {
            out->state = OSW_STATE_REFERENCE;
            snprintf(out->text, sizeof(out->text),
                     "the reference asked for the exact values of output %u "
                     "and never filled them",
                     i);
            return false;
        }
    return true;
}

/* --- what it wrote and did not declare --- */

static struct osw_written_job written_job(const struct osw_oracle_job *job)
{
    const struct osw_trial *trial = job->trial_inputs;
    size_t n_args = trial->n_args / (job->world ? job->world->size : 1);

    return (struct osw_written_job){
        .schema = job->op->schema,
        .trial = trial,
        .from_arg = job->world ? job->world->rank * n_args : 0,
        .n_args = job->of_reference && !job->meta_only ? n_args : 0};
}

/* Does it return the arguments that the schema returns?  Else code that does so
 * would be refused.
 */
static bool returns_arguments(const struct osw_oracle_job *job,
                              const struct osw_written_job *written,
                              const struct osw_result *result,
                              struct osw_oracle_result *out)
{
    uint32_t i, arg;

    if (!written->n_args || !osw_written_missing(written, result, &i, &arg))
        return true;
    out->state = OSW_STATE_REFERENCE;
    snprintf(out->text, sizeof(out->text),
             "output %u of the reference is new memory, expected argument '%s' "
             "itself, as the schema says: %s",
             i, job->op->schema->args[arg].name,
             job->sandbox->traits.own_outputs
                 ? "write to it and return it"
                 : "declare it by osw_output_alias()");
    return false;
}

/* Outputs of the call in their order, and room for their copies; NULL with the
 * reason in *out.
 */
static struct osw_written_output *list_outputs(const struct osw_oracle_job *job,
                                               const struct osw_result *result,
                                               const struct copier *copier,
                                               uint32_t *n,
                                               struct osw_oracle_result *out)
{
    struct osw_written_job written = written_job(job);
    struct osw_written_output *all;
    struct osw_error err = OSW_ERROR_INIT;

    if (!returns_arguments(job, &written, result, out))
        return NULL;
    all = osw_written_list(job->memory, &written, result, n);
    if (!all) {
        fail(out, OSW_STATE_OOM, "no memory for outputs");
        return NULL;
    }
    if (!job->meta_only &&
        osw_place_ensure_bytes(copier->place, &copier->place->private,
                               private_bytes(result, all, *n), &err) < 0) {
        fail(out, OSW_STATE_SKIPPED, err.text);
        return NULL;
    }
    if (*n > result->n_outputs)
        osw_written_settle(&written, all, n, copier->from.base,
                           (unsigned char *)copier->place->private.base +
                               copier->used);
    if (*n <= OSW_PROTOCOL_MAX_OUTPUTS)
        return all;
    out->state = OSW_STATE_SKIPPED;
    snprintf(out->text, sizeof(out->text),
             "the case has %u outputs, expected %d or fewer", *n,
             OSW_PROTOCOL_MAX_OUTPUTS);
    return NULL;
}

void osw_oracle_take(const struct osw_oracle_job *job,
                     const struct osw_result *result,
                     struct osw_zone_memory zone, struct osw_oracle_result *out)
{
    struct osw_place *place = job->trial_inputs->place;
    struct copier copier = {
        .from = zone, .place = place, .used = OSW_PLACE_SCRATCH};
    struct osw_written_output *all;
    uint32_t n;

    *out = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    if (!accept(job, result, out))
        return;
    osw_sandbox_used(job->sandbox, result->high_water);
    out->bytes = result->bytes;
    out->flops = result->flops;
    out->call_ns = result->call_ns;
    snprintf(out->note, sizeof(out->note), "%s", result->text);
    all = list_outputs(job, result, &copier, &n, out);
    if (!all)
        return;
    out->outputs = osw_arena_array(job->memory, n, sizeof(*out->outputs));
    if (!out->outputs) {
        fail(out, OSW_STATE_OOM, "no memory for outputs");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        describe(&out->outputs[i], &all[i].output);
        if (!job->meta_only)
            take_values(&copier, result, &out->outputs[i]);
    }
    if (!job->meta_only && !check_filled(place, n, out))
        return;
    out->n_outputs = n;
    allow_errors(job, out);
    out->have_shapes = true;
    out->have_values = !job->meta_only;
    if (out->have_values)
        out->appeal = osw_arena_alloc(job->memory, sizeof(*out->appeal));
}

void osw_oracle_run(const struct osw_oracle_job *job,
                    struct osw_oracle_result *out)
{
    *out = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    if (job->op->world > 1 && !job->world) {
        out->state = OSW_STATE_SKIPPED;
        snprintf(out->text, sizeof(out->text),
                 "a collective op: %d workers of a campaign make a call "
                 "together",
                 job->op->world);
        return;
    }
    if (ask_growing(job, out))
        osw_oracle_take(job, &job->sandbox->result,
                        osw_sandbox_zone(job->sandbox, job->sandbox->zone),
                        out);
}

/* The same outputs as before, in float64 where values are wanted? */
static bool is_alike(const struct osw_oracle_result *like,
                     const struct osw_result *result, double *const *values)
{
    if (result->n_outputs != like->n_outputs)
        return false;
    for (uint32_t i = 0; i < like->n_outputs; i++)
        if (values[i] && (result->outputs[i].exact == OSW_NO_OFFSET ||
                          osw_output_numel(&result->outputs[i]) !=
                              osw_output_numel(&like->outputs[i].as_run) ||
                          osw_output_extent(&result->outputs[i]) !=
                              osw_output_extent(&like->outputs[i].as_run)))
            return false;
    return true;
}

bool osw_oracle_again(const struct osw_oracle_job *job, unsigned char *image,
                      const struct osw_oracle_result *like,
                      double *const *values, unsigned char *const *own,
                      char *why, size_t size)
{
    struct osw_oracle_result said = {.state = OSW_STATE_NONE};
    struct osw_trial trial = *job->trial_inputs;
    struct osw_oracle_job again = *job;
    const struct osw_result *result = &job->sandbox->result;
    struct osw_place *place = trial.place;
    const unsigned char *from;

    trial.image = image;
    again.trial_inputs = &trial;
    if (!ask_growing(&again, &said) || !accept(&again, result, &said)) {
        snprintf(why, size, "%s", said.text);
        return false;
    }
    if (!is_alike(like, result, values)) {
        snprintf(why, size, "%s",
                 result->text[0] ? result->text
                                 : "the reference gives other outputs");
        return false;
    }
    from = osw_sandbox_zone(job->sandbox, job->sandbox->zone).base;
    for (uint32_t i = 0; i < like->n_outputs; i++) {
        const struct osw_output *o = &result->outputs[i];

        if (values[i])
            place->ops->copy(place->device, values[i], from + o->exact,
                             exact_bytes(o));
        if (own && own[i])
            place->ops->copy(place->device, own[i], from + o->offset,
                             (uint64_t)osw_output_extent(o));
    }
    return true;
}

bool osw_oracle_arm(const struct osw_oracle_job *job)
{
    struct osw_oracle_result unused = {.state = OSW_STATE_NONE};

    return ask_growing(job, &unused) && job->sandbox->result.code == 0 &&
           job->sandbox->result.device_code == 0;
}

void osw_oracle_mark_written(const struct osw_oracle_result *oracle,
                             struct osw_trial *trial)
{
    for (uint32_t i = 0; i < oracle->n_outputs; i++)
        for (size_t t = 0; t < trial->n_tensors; t++)
            if (oracle->outputs[i].as_run.alias == trial->tensors[t].alias)
                trial->tensors[t].written = true;
}
