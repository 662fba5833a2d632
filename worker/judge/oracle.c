/* worker/judge/oracle.c - what the outputs of a case should be */
#include "worker/judge/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/layout.h"

struct taker {
    const struct osw_box *box;
    unsigned char *private;
    uint64_t used, limit;
};

static void fail(struct osw_oracle_result *out, enum osw_state state,
                 const char *text)
{
    out->state = state;
    snprintf(out->text, sizeof(out->text), "%s", text);
}

/* Ask for one run, or for descriptions; false when there is no result. */
static bool ask(osw_arena_t *memory, struct osw_box *box,
                const struct osw_trial *trial, bool meta_only,
                int64_t deadline_ns, struct osw_oracle_result *out)
{
    struct osw_restore *restores =
        osw_arena_array(memory, trial->n_tensors, sizeof(*restores));
    struct osw_case_request request = {
        .mode = meta_only ? OSW_MODE_META : OSW_MODE_RUN,
        .pattern = OSW_GUARD_BYTE,
        .seed = trial->seed,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = trial->offsets,
        .restores = restores,
    };
    struct osw_writer w = osw_writer(box->message, sizeof(box->message));

    if (!restores) {
        fail(out, OSW_STATE_OOM, "no memory for a request");
        return false;
    }
    if (!meta_only)
        memcpy(box->arena.base, trial->image, trial->inputs_bytes);
    request.spill = osw_trial_place_restores(
        trial, meta_only ? NULL : box->arena.base, trial->inputs_bytes,
        box->arena.bytes, restores, &request.n_restores);
    if (request.spill == OSW_NO_OFFSET) {
        fail(out, OSW_STATE_SKIPPED,
             "inputs written in place do not fit twice (--max-bytes)");
        return false;
    }
    osw_protocol_put_case(&w, &request);
    if (w.overrun) {
        fail(out, OSW_STATE_SKIPPED, "the case has too many arguments");
        return false;
    }
    if (osw_box_send(box, &w) == 0 && osw_box_result(box, deadline_ns) == 0)
        return true;
    snprintf(out->text, sizeof(out->text), "the reference: %s", box->end.text);
    out->state = OSW_STATE_REFERENCE;
    return false;
}

static bool accept(const struct osw_result *result, bool meta_only,
                   struct osw_oracle_result *out)
{
    if (result->code == 0)
        return true;
    if (result->no_memory)
        fail(out, OSW_STATE_SKIPPED,
             "the reference needs more memory than the case was given "
             "(--max-bytes)");
    else if (result->code == OSW_UNSUPPORTED)
        fail(out, OSW_STATE_UNVERIFIED,
             meta_only ? "a check by Freivalds' method needs <op>_meta in the "
                         "reference"
                       : "the reference does not support this case");
    else
        snprintf(out->text, sizeof(out->text), "the reference returned %d%s%s",
                 result->code, result->text[0] ? ": " : "", result->text);
    if (out->state == OSW_STATE_NONE)
        out->state = OSW_STATE_REFERENCE;
    return false;
}

static void *take(struct taker *t, uint64_t from, uint64_t bytes)
{
    uint64_t at =
        (t->used + OSW_LAYOUT_ALIGN - 1) / OSW_LAYOUT_ALIGN * OSW_LAYOUT_ALIGN;

    if (at > t->limit || bytes > t->limit - at)
        return NULL;
    t->used = at + bytes;
    return memcpy(t->private + at, (unsigned char *)t->box->arena.base + from,
                  bytes);
}

static bool take_values(struct taker *t, struct osw_oracle_output *o)
{
    uint64_t numel = (uint64_t)osw_output_numel(&o->as_run);

    if (o->as_run.exact != OSW_NO_OFFSET) {
        o->want.exact = take(t, o->as_run.exact, numel * sizeof(double));
        return o->want.exact != NULL;
    }
    o->want.view.desc = &o->desc;
    o->want.view.data =
        take(t, o->as_run.offset, (uint64_t)osw_output_extent(&o->as_run));
    return o->want.view.data != NULL;
}

static void describe(struct osw_oracle_output *o, const struct osw_op *op,
                     const struct osw_output *from)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)from->dtype);
    struct osw_tolerance tol = osw_op_tolerance(op, dtype);

    o->as_run = *from;
    o->desc = (struct osw_tensor_desc){
        .dtype = from->dtype,
        .ndim = from->ndim,
        .strided = true,
        .shape = o->as_run.shape,
        .strides = o->as_run.strides,
    };
    o->accept = (struct osw_accept){
        .rtol = tol.rtol,
        .atol = tol.atol,
        .exact = op->exact || (dtype->class != OSW_CLASS_FLOAT &&
                               dtype->class != OSW_CLASS_COMPLEX),
    };
}

void osw_oracle_run(osw_arena_t *memory, struct osw_box *box,
                    const struct osw_op *op, struct osw_trial *trial,
                    bool meta_only, unsigned char *private, uint64_t limit,
                    int64_t deadline_ns, struct osw_oracle_result *out)
{
    const struct osw_result *result = &box->result;
    struct taker taker = {.box = box, .private = private, .limit = limit};

    *out = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    if (!ask(memory, box, trial, meta_only, deadline_ns, out) ||
        !accept(result, meta_only, out))
        return;
    for (uint32_t i = 0; i < result->n_outputs; i++) {
        const struct osw_output *o = &result->outputs[i];
        uint64_t end = o->exact != OSW_NO_OFFSET
                           ? o->exact + 8 * (uint64_t)osw_output_numel(o)
                           : o->offset + (uint64_t)osw_output_extent(o);

        if (!meta_only && box->high_water < end)
            box->high_water = end;
    }
    out->bytes = result->bytes;
    out->flops = result->flops;
    out->call_ns = result->call_ns;
    out->outputs =
        osw_arena_array(memory, result->n_outputs, sizeof(*out->outputs));
    if (!out->outputs) {
        fail(out, OSW_STATE_OOM, "no memory for outputs");
        return;
    }
    for (uint32_t i = 0; i < result->n_outputs; i++) {
        describe(&out->outputs[i], op, &result->outputs[i]);
        if (!meta_only && !take_values(&taker, &out->outputs[i])) {
            fail(out, OSW_STATE_SKIPPED,
                 "expected outputs do not fit the memory of the case "
                 "(--max-bytes)");
            return;
        }
    }
    out->n_outputs = result->n_outputs;
    out->have_shapes = true;
    out->have_values = !meta_only;
}

bool osw_oracle_arm(osw_arena_t *memory, struct osw_box *box,
                    const struct osw_trial *trial, int64_t deadline_ns)
{
    struct osw_oracle_result unused = {.state = OSW_STATE_NONE};

    return ask(memory, box, trial, false, deadline_ns, &unused) &&
           box->result.code == 0;
}

void osw_oracle_mark_written(const struct osw_oracle_result *oracle,
                             struct osw_trial *trial)
{
    for (uint32_t i = 0; i < oracle->n_outputs; i++)
        for (size_t t = 0; t < trial->n_tensors; t++)
            if (oracle->outputs[i].as_run.alias ==
                (int32_t)trial->tensors[t].arg)
                trial->tensors[t].written = true;
}
