/* worker/judge/timing/edited.c - the judge's side of edits.h */
#include "worker/judge/timing/edited.h"

#include <stdlib.h>

#include "ops/inputs/trials.h"
#include "ops/notation/tensor.h"
#include "worker/judge/eval/exec.h"

/* Edits take some 15 ns in a processor's caches: 1 % of longer calls. */
enum { NS_PER_EDIT = 4000 };

/* --- plan --- */

static uint32_t count(uint64_t bytes, uint32_t size)
{
    uint64_t n = bytes / size;

    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Does an output consist of its elements, as they are?  It follows edits by
 * itself, also when they are undone.
 */
static bool is_view(const struct osw_result *result,
                    const struct osw_trial_tensor *t)
{
    for (uint32_t i = 0; i < result->n_outputs; i++)
        if (!t->written && result->outputs[i].alias == t->alias)
            return true;
    return false;
}

/* Bits of a real number that any other ones may take the place of; 0: none. */
static uint8_t mantissa_of(const struct osw_fill *fill, enum osw_dtype_id dtype)
{
    static const uint8_t bits[] = {
        [OSW_F64] = 52, [OSW_F32] = 23, [OSW_F16] = 10, [OSW_BF16] = 7};
    bool any = fill->kind == OSW_FILL_DEFAULT ||
               fill->kind == OSW_FILL_NORMAL || fill->kind == OSW_FILL_UNIFORM;

    return any && (size_t)dtype < sizeof(bits) ? bits[dtype] : 0;
}

/* Uniform ones stay within 1. */
static bool may_double(const struct osw_fill *fill)
{
    return fill->kind != OSW_FILL_UNIFORM;
}

/* Independent random values may be overwritten by a copy of another one; in
 * other tensors each value may be needed.
 */
static void add_inputs(const struct osw_trial *trial,
                       const struct osw_result *result, struct osw_edits *out)
{
    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];
        const struct osw_dtype_info *type = osw_dtype_info((int)t->desc->dtype);
        struct osw_span span = {
            .at = t->offset,
            .n = count(t->extent, (uint32_t)type->bytes),
            .size = (uint8_t)type->bytes,
            .kind = osw_dtype_is_floating(type) &&
                            osw_trial_is_centred(&trial->fills[i])
                        ? OSW_SPAN_COPY
                        : OSW_SPAN_SWAP,
            .mantissa = mantissa_of(&trial->fills[i],
                                    (enum osw_dtype_id)t->desc->dtype),
            .doubles = may_double(&trial->fills[i]),
            .brought = t->written,
        };

        if (span.n >= 2 && osw_trial_may_exchange(trial, i) &&
            !is_view(result, t) && out->n_inputs < OSW_EDITS_MAX_SPANS / 2)
            out->spans[out->n_inputs++] = span;
    }
}

/* Poison of an output that aliases an argument would be its input. */
static void add_outputs(const struct osw_result *result, struct osw_edits *out)
{
    for (uint32_t i = 0; i < result->n_outputs; i++) {
        const struct osw_output *o = &result->outputs[i];
        uint32_t size = (uint32_t)osw_dtype_info((int)o->dtype)->bytes;

        if (o->alias < 0 && osw_output_numel(o) > 0 &&
            osw_output_extent(o) == osw_output_numel(o) * (int64_t)size &&
            out->n_inputs + out->n_outputs < OSW_EDITS_MAX_SPANS)
            out->spans[out->n_inputs + out->n_outputs++] = (struct osw_span){
                .at = o->offset,
                .n = count((uint64_t)osw_output_extent(o), size),
                .size = (uint8_t)size,
                .kind = OSW_SPAN_POISON,
            };
    }
}

unsigned char osw_edited_pattern(const struct osw_trial *trial)
{
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->fills[i].kind == OSW_FILL_SPECIAL)
            return OSW_POISON_B;
    return OSW_POISON_A;
}

void osw_edited_plan(const struct osw_trial *trial,
                     const struct osw_sandbox *sandbox, int64_t call_ns,
                     bool several, struct osw_edits *out)
{
    int64_t n = several ? 1 : call_ns / NS_PER_EDIT;

    *out = (struct osw_edits){.pattern = osw_edited_pattern(trial)};
    out->n_each = n < 1                    ? 1
                  : n < OSW_EDITS_MAX_EACH ? (uint32_t)n
                                           : OSW_EDITS_MAX_EACH;
    add_inputs(trial, &sandbox->result, out);
    if (!sandbox->traits.own_outputs)
        add_outputs(&sandbox->result, out);
}

static uint64_t span_bytes(const struct osw_span *span)
{
    return (uint64_t)span->n * span->size;
}

uint64_t osw_edited_bytes(const struct osw_edits *edits)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < edits->n_inputs; i++)
        bytes += span_bytes(&edits->spans[i]);
    return bytes;
}

uint64_t osw_edited_last(const struct osw_time_request *request,
                         bool own_memory)
{
    uint64_t n_inner = request->n_inner ? request->n_inner : 1;

    return own_memory ? osw_timing_whole(request->n_samples) - 1
                      : request->n_samples * n_inner - 1;
}

/* --- the same on the judge's image --- */

static void move(const struct osw_place *place, void *to, const void *from,
                 uint32_t size)
{
    place->ops->copy(place->device, to, from, size);
}

static bool is_of_host(const struct osw_place *place)
{
    return !place || !place->device || !place->device->ops->own_memory;
}

static uint64_t largest_bytes(const struct osw_edits *edits)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < edits->n_inputs; k++) {
        uint64_t bytes = span_bytes(&edits->spans[k]);

        most = bytes > most ? bytes : most;
    }
    return most;
}

/* All elements, on a device by way of the host.  False: no memory there, and
 * none has changed.
 */
static bool renew(const struct osw_trial *trial, unsigned char *base,
                  const struct osw_edits *edits, uint64_t call, bool brought)
{
    const struct osw_place *place = trial->place;
    unsigned char *host;

    if (is_of_host(place)) {
        osw_edits_renew(edits, call, base, brought, 0, 1);
        return true;
    }
    host = malloc(largest_bytes(edits) + 1);
    if (!host)
        return false;
    for (uint32_t k = 0; k < edits->n_inputs; k++) {
        const struct osw_span *span = &edits->spans[k];
        uint64_t bytes = span_bytes(span);

        if (span->brought && !brought)
            continue;
        place->ops->copy(place->device, host, base + span->at, bytes);
        osw_edits_renew_span(edits, k, call, host, 0, 1);
        place->ops->copy(place->device, base + span->at, host, bytes);
    }
    free(host);
    return true;
}

bool osw_edited_apply(const struct osw_trial *trial, unsigned char *base,
                      bool zone, const struct osw_edits *edits, uint64_t call,
                      struct osw_edits_undo *u)
{
    const struct osw_place *place = trial->place;

    *u = (struct osw_edits_undo){.call = call, .brought = !zone};
    if (edits->whole) {
        u->whole = renew(trial, base, edits, call, !zone) ? edits : NULL;
        return u->whole != NULL;
    }
    for (uint32_t j = 0; j < edits->n_each; j++) {
        struct osw_edit e = osw_edits_at(edits, call, j, false);
        uint32_t i = u->n;

        if (!e.span || (zone && e.span->brought))
            continue;
        u->of[i].to = e.to;
        u->of[i].from = e.from;
        u->of[i].size = e.span->size;
        move(place, u->of[i].was[0], base + e.to, e.span->size);
        move(place, u->of[i].was[1], base + e.from, e.span->size);
        move(place, base + e.to, u->of[i].was[1], e.span->size);
        if (e.span->kind == OSW_SPAN_SWAP)
            move(place, base + e.from, u->of[i].was[0], e.span->size);
        u->n++;
    }
    return true;
}

void osw_edited_undo(const struct osw_trial *trial, unsigned char *base,
                     struct osw_edits_undo *u)
{
    if (u->whole)
        (void)renew(trial, base, u->whole, u->call, u->brought);
    u->whole = NULL;
    while (u->n > 0) {
        uint32_t i = --u->n;

        move(trial->place, base + u->of[i].from, u->of[i].was[1],
             u->of[i].size);
        move(trial->place, base + u->of[i].to, u->of[i].was[0], u->of[i].size);
    }
}

bool osw_edited_is_left(const struct osw_edits *edits, uint64_t call,
                        const unsigned char *base)
{
    for (uint32_t j = 0; j < edits->n_each; j++) {
        struct osw_edit e = osw_edits_at(edits, call, j, true);
        uint32_t left = 0;

        if (!e.span)
            return false;
        while (left < e.span->size && base[e.to + left] == edits->pattern)
            left++;
        if (left == e.span->size)
            return true;
    }
    return false;
}
