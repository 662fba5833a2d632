/* worker/judge/inputs/trial.c - one case made concrete: arguments, tensors,
 * inputs */
#include "worker/judge/inputs/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/fill_text.h"
#include "ops/notation/tensor.h"
#include "worker/hash.h"
#include "worker/hash_mix.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/memory/layout.h"
#include "worker/protocol.h"

/* --- reading --- */

static int collect_tensors(osw_arena_t *memory, struct osw_trial *trial,
                           struct osw_error *err)
{
    struct osw_bound_tensor *bound;
    uint32_t place = 0;
    size_t n;

    if (osw_bind_tensors(memory, trial->args, trial->n_args, &bound, &n, err) <
        0)
        return -1;
    trial->tensors = osw_arena_array(memory, n, sizeof(*trial->tensors));
    trial->offsets = osw_arena_array(memory, n, sizeof(*trial->offsets));
    if (!trial->tensors || !trial->offsets)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu tensors", n);
    for (size_t i = 0; i < n; i++) {
        place = i > 0 && bound[i].arg == bound[i - 1].arg ? place + 1 : 0;
        trial->tensors[i] = (struct osw_trial_tensor){
            .desc = bound[i].desc,
            .arg = bound[i].arg,
            .alias = osw_output_alias_of(bound[i].arg, place),
            .extent = (uint64_t)osw_tensor_bytes(bound[i].desc),
            .written = bound[i].written,
        };
    }
    trial->n_tensors = n;
    return 0;
}

static int read_fills(osw_arena_t *memory, struct osw_trial *trial,
                      const char *text, struct osw_error *err)
{
    size_t n;

    if (osw_fill_list_parse(memory, text, strlen(text), &trial->fills, &n,
                            err) < 0)
        return -1;
    if (n != trial->n_tensors)
        return osw_fail(err, OSW_BAD_INPUT, "%zu fills for %zu tensors", n,
                        trial->n_tensors);
    for (size_t i = 0; i < n; i++)
        if (osw_fill_fits(&trial->fills[i], trial->tensors[i].desc, err) < 0)
            return -1;
    return 0;
}

static int place_tensors(osw_arena_t *memory, struct osw_trial *trial,
                         uint64_t limit, struct osw_error *err)
{
    const struct osw_tensor_desc **descs =
        osw_arena_array(memory, trial->n_tensors, sizeof(*descs));

    if (!descs)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a layout");
    for (size_t i = 0; i < trial->n_tensors; i++)
        descs[i] = trial->tensors[i].desc;
    trial->inputs_bytes =
        osw_layout_inputs(descs, trial->n_tensors, limit, trial->offsets);
    if (trial->inputs_bytes == OSW_NO_OFFSET)
        return osw_fail(err, OSW_BAD_INPUT,
                        "inputs do not fit %llu bytes (--max-bytes)",
                        (unsigned long long)limit);
    for (size_t i = 0; i < trial->n_tensors; i++)
        trial->tensors[i].offset = trial->offsets[i];
    return 0;
}

uint64_t osw_trial_draw(uint64_t seed, const char *op_name,
                        const char *case_text)
{
    uint64_t of_op = osw_hash_bytes(op_name, strlen(op_name), seed);

    return osw_hash_bytes(case_text, strlen(case_text), of_op);
}

static bool any_written(const struct osw_trial *trial)
{
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->tensors[i].written)
            return true;
    return false;
}

struct osw_trial osw_trial_of_kind(const struct osw_trial *own,
                                   enum osw_trial_kind kind,
                                   const struct osw_fill *fills)
{
    struct osw_trial trial = *own;

    if (fills)
        trial.fills = fills;
    if (osw_trial_has_fills(kind))
        trial.draw = osw_hash_mix(own->draw + 1 + (uint64_t)kind);
    if (kind == OSW_TRIAL_REDRAW && any_written(own))
        trial.guard = OSW_GUARD_NUMBER;
    return trial;
}

int osw_trial_make(osw_arena_t *memory, const struct osw_op *op,
                   const char *case_text, const char *fill_text, uint64_t seed,
                   uint64_t limit, struct osw_trial *out, struct osw_error *err)
{
    size_t length = strlen(case_text);
    uint64_t draw = osw_trial_draw(seed, op->name ? op->name : "", case_text);
    struct osw_trial trial = {
        .seed = seed, .draw = draw, .order = draw | 1, .guard = OSW_GUARD_BYTE};

    if (osw_notation_parse_case(memory, case_text, length, &trial.parsed, err) <
            0 ||
        osw_bind(memory, op->schema, &trial.parsed, &trial.args, &trial.n_args,
                 err) < 0 ||
        collect_tensors(memory, &trial, err) < 0 ||
        read_fills(memory, &trial, fill_text, err) < 0 ||
        place_tensors(memory, &trial, limit, err) < 0)
        return -1;
    *out = trial;
    return 0;
}

/* --- filling --- */

struct osw_view osw_trial_view(const struct osw_trial *trial, size_t tensor)
{
    return (struct osw_view){.data =
                                 trial->image + trial->tensors[tensor].offset,
                             .desc = trial->tensors[tensor].desc};
}

/* In the host's memory bytes cost and calls do not: guards are written and
 * looked at for themselves there.  On a device each call is a launch.
 */
static bool is_cheap_to_call(const struct osw_trial *trial)
{
    return !trial->place->device->ops->own_memory;
}

/* The guard before tensor i, or after the last one, as offsets. */
static uint64_t guard_from(const struct osw_trial *trial, size_t i)
{
    return i > 0 ? trial->tensors[i - 1].offset + trial->tensors[i - 1].extent
                 : 0;
}

static uint64_t guard_to(const struct osw_trial *trial, size_t i)
{
    return i < trial->n_tensors ? trial->tensors[i].offset
                                : trial->inputs_bytes;
}

static void set_guards(const struct osw_trial *trial, unsigned char *base)
{
    for (size_t i = 0; i <= trial->n_tensors; i++) {
        uint64_t from = guard_from(trial, i);

        trial->place->ops->set(trial->place->device, base + from, trial->guard,
                               guard_to(trial, i) - from);
    }
}

void osw_trial_other_guards(const struct osw_trial *trial, unsigned char *zone,
                            bool of_host)
{
    const struct osw_place *place = trial->place;
    const unsigned char byte = trial->guard ^ OSW_GUARD_OTHER;
    bool apart = of_host && place->device->ops->own_memory, synced = !apart;
    struct osw_error err = OSW_ERROR_INIT;

    for (size_t i = 0; i < trial->n_tensors; i++) {
        uint64_t from = guard_from(trial, i), n = guard_to(trial, i) - from;

        if (!trial->tensors[i].desc->offset)
            continue;
        if (!synced) /* the inputs are on their way */
            synced = place->ops->sync(place->device, &err) == 0;
        if (!apart)
            place->ops->set(place->device, zone + from, byte, n);
        else if (synced)
            memset(zone + from, byte, n);
    }
}

static void copy_tensors(const struct osw_trial *trial, unsigned char *to,
                         const unsigned char *from)
{
    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];

        trial->place->ops->copy(trial->place->device, to + t->offset,
                                from + t->offset, t->extent);
    }
}

/* Guards below tensors that have gaps; others are written once only. */
static void fill_tensors(const struct osw_trial *trial, uint32_t rep)
{
    const struct osw_place *place = trial->place;

    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];
        struct osw_view view = osw_trial_view(trial, i);

        if (osw_tensor_has_gaps(t->desc->ndim, t->desc->shape,
                                t->desc->strides))
            place->ops->set(place->device, view.data, trial->guard, t->extent);
        if (!osw_fill_is_drawn(trial->fills[i].kind))
            place->ops->fill(place->device, &view, &trial->fills[i],
                             trial->draw, (uint32_t)i, rep);
    }
}

static int lie_in(struct osw_trial *trial, struct osw_place *place,
                  struct osw_error *err)
{
    if (osw_place_ensure_bytes(place, &place->image, trial->inputs_bytes, err) <
        0)
        return -1;
    trial->place = place;
    trial->image = place->image.base;
    return 0;
}

void osw_trial_fill_image(const struct osw_trial *trial, uint32_t rep)
{
    set_guards(trial, trial->image);
    fill_tensors(trial, rep);
}

int osw_trial_fill(struct osw_trial *trial, struct osw_place *place,
                   uint32_t rep, struct osw_error *err)
{
    if (lie_in(trial, place, err) < 0)
        return -1;
    osw_trial_fill_image(trial, rep);
    return 0;
}

int osw_trial_fill_bare(struct osw_trial *trial, struct osw_place *place,
                        uint32_t rep, const struct osw_trial *like,
                        struct osw_error *err)
{
    if (lie_in(trial, place, err) < 0)
        return -1;
    if (like)
        copy_tensors(trial, trial->image, like->image);
    else
        fill_tensors(trial, rep);
    return 0;
}

void osw_trial_bring(const struct osw_trial *trial, unsigned char *zone)
{
    if (!is_cheap_to_call(trial)) {
        trial->place->ops->copy(trial->place->device, zone, trial->image,
                                trial->inputs_bytes);
        return;
    }
    set_guards(trial, zone);
    copy_tensors(trial, zone, trial->image);
}

/* Each row of shares adds up by itself. */
static bool is_bound_to_rows(const struct osw_tensor_desc *d,
                             enum osw_fill_kind kind)
{
    return kind == OSW_FILL_SHARES && d->ndim > 1;
}

bool osw_trial_may_exchange(const struct osw_trial *trial, size_t i)
{
    const struct osw_tensor_desc *d = trial->tensors[i].desc;
    enum osw_fill_kind kind = trial->fills[i].kind;

    return !is_bound_to_rows(d, kind) && kind != OSW_FILL_DRAWN &&
           kind != OSW_FILL_CONSTANT && kind != OSW_FILL_ASCENDING &&
           kind != OSW_FILL_DISTINCT &&
           !osw_tensor_has_gaps(d->ndim, d->shape, d->strides);
}

/* Exchange `bytes` at two places that do not overlap, by way of the host. */
static bool exchange(const struct osw_place *place, unsigned char *a,
                     unsigned char *b, size_t bytes)
{
    const struct osw_judge_ops *ops = place->ops;
    unsigned char *both = malloc(2 * bytes);

    if (!both)
        return false;
    ops->copy(place->device, both, a, bytes);
    ops->copy(place->device, both + bytes, b, bytes);
    ops->copy(place->device, a, both + bytes, bytes);
    ops->copy(place->device, b, both, bytes);
    free(both);
    return true;
}

static uint64_t elements_of(const struct osw_trial_tensor *t)
{
    return t->extent / osw_dtype_info((int)t->desc->dtype)->bytes;
}

static bool is_permuted(const struct osw_trial *trial, size_t i)
{
    return elements_of(&trial->tensors[i]) >= 2 &&
           osw_trial_may_exchange(trial, i);
}

bool osw_trial_may_permute(const struct osw_trial *trial)
{
    bool any = false;

    for (size_t i = 0; i < trial->n_tensors; i++)
        any = any || is_permuted(trial, i);
    return any;
}

/* Of several tensors one stays as it is, another one in each case. */
static size_t tensor_that_stays(const struct osw_trial *trial, uint64_t *random)
{
    uint64_t n = 0, nth;

    for (size_t i = 0; i < trial->n_tensors; i++)
        n += is_permuted(trial, i);
    if (n < 2)
        return SIZE_MAX;
    nth = osw_random_next(random) % n;
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (is_permuted(trial, i) && nth-- == 0)
            return i;
    return SIZE_MAX;
}

bool osw_trial_permute(const struct osw_trial *trial, unsigned char *base,
                       uint64_t *random)
{
    size_t stays = tensor_that_stays(trial, random);
    bool any = false;

    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];
        uint64_t bytes = osw_dtype_info((int)t->desc->dtype)->bytes;
        uint64_t numel = elements_of(t);
        uint64_t half = numel / 2, n, at[2];

        if (i == stays || !is_permuted(trial, i))
            continue;
        n = (uint64_t)(sqrt((double)numel) / 2);
        n = n < 1 ? 1 : n;
        at[0] = osw_random_next(random) % (half - n + 1);
        at[1] = half + osw_random_next(random) % (numel - half - n + 1);
        any |= exchange(trial->place, base + t->offset + at[0] * bytes,
                        base + t->offset + at[1] * bytes, n * bytes);
    }
    return any;
}

uint64_t osw_trial_place_restores(const struct osw_trial *trial,
                                  unsigned char *base, uint64_t at,
                                  uint64_t limit, struct osw_restore *restores,
                                  uint32_t *n)
{
    *n = 0;
    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];

        if (!t->written)
            continue;
        if (at > limit || t->extent > limit - at)
            return OSW_NO_OFFSET;
        restores[(*n)++] = (struct osw_restore){
            .to = t->offset, .from = at, .bytes = t->extent};
        if (base)
            trial->place->ops->copy(trial->place->device, base + at,
                                    trial->image + t->offset, t->extent);
        at += t->extent;
        at += (OSW_LAYOUT_ALIGN - at % OSW_LAYOUT_ALIGN) % OSW_LAYOUT_ALIGN;
    }
    return at <= limit ? at : OSW_NO_OFFSET;
}

/* --- checking --- */

static void name_trespass(const struct osw_trial *trial, uint64_t at,
                          struct osw_trespass *out)
{
    const struct osw_trial_tensor *near = NULL;

    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];

        if (!near || t->offset <= at)
            near = t;
        if (at >= t->offset && at < t->offset + t->extent) {
            out->input = osw_view_find(
                t->desc,
                (int64_t)((at - t->offset) /
                          osw_dtype_info((int)t->desc->dtype)->bytes),
                NULL);
            snprintf(out->text, sizeof(out->text),
                     "wrote to %s argument '%s', byte %llu of %llu",
                     out->input ? "input" : "a gap of",
                     trial->args[t->arg].name,
                     (unsigned long long)(at - t->offset),
                     (unsigned long long)t->extent);
            return;
        }
    }
    if (near && at < near->offset)
        snprintf(out->text, sizeof(out->text),
                 "wrote before argument '%s', by %llu bytes",
                 trial->args[near->arg].name,
                 (unsigned long long)(near->offset - at));
    else if (near)
        snprintf(out->text, sizeof(out->text),
                 "wrote past argument '%s', at byte %llu after its end",
                 trial->args[near->arg].name,
                 (unsigned long long)(at - near->offset - near->extent));
    else
        snprintf(out->text, sizeof(out->text), "wrote to a guard");
}

/* Between the elements of a tensor that may be written. */
static void compare_gaps(const struct osw_trial *trial, size_t tensor,
                         const unsigned char *zone, struct osw_trespass *out)
{
    const struct osw_trial_tensor *t = &trial->tensors[tensor];
    const struct osw_view view = {.data = (void *)(uintptr_t)(zone + t->offset),
                                  .desc = t->desc};
    int64_t at;

    if (!osw_tensor_has_gaps(t->desc->ndim, t->desc->shape, t->desc->strides))
        return;
    at = trial->place->ops->check_gaps(trial->place->device, &view,
                                       trial->guard);
    if (at < 0)
        return;
    out->any = true;
    name_trespass(trial, t->offset + (uint64_t)at, out);
}

/* The offset of the first byte that is not as it was brought, in guards and in
 * tensors that may not be written; -1: there is none.  Guard by guard, tensor
 * by tensor: guards are not read from the image.
 */
static int64_t changed_in_parts(const struct osw_trial *trial,
                                const unsigned char *zone)
{
    const struct osw_judge_ops *ops = trial->place->ops;
    struct osw_device *dev = trial->place->device;

    for (size_t i = 0; i <= trial->n_tensors; i++) {
        const struct osw_trial_tensor *t =
            i < trial->n_tensors ? &trial->tensors[i] : NULL;
        uint64_t from = guard_from(trial, i);
        int64_t at = ops->check(dev, zone + from, guard_to(trial, i) - from,
                                trial->guard);

        if (at < 0 && t && !t->written) {
            from = t->offset;
            at = ops->differs(dev, trial->image + from, zone + from, t->extent);
        }
        if (at >= 0)
            return (int64_t)from + at;
    }
    return -1;
}

/* The same, all between two tensors that may be written in one go. */
static int64_t changed_in_stretches(const struct osw_trial *trial,
                                    const unsigned char *zone)
{
    uint64_t from = 0;

    for (size_t i = 0; i <= trial->n_tensors; i++) {
        int64_t at;

        if (i < trial->n_tensors && !trial->tensors[i].written)
            continue;
        at = trial->place->ops->differs(trial->place->device,
                                        trial->image + from, zone + from,
                                        guard_to(trial, i) - from);
        if (at >= 0)
            return (int64_t)from + at;
        from = i < trial->n_tensors ? guard_from(trial, i + 1) : from;
    }
    return -1;
}

void osw_trial_compare(const struct osw_trial *trial, const unsigned char *zone,
                       struct osw_trespass *out)
{
    int64_t at = is_cheap_to_call(trial) ? changed_in_parts(trial, zone)
                                         : changed_in_stretches(trial, zone);

    *out = (struct osw_trespass){.any = at >= 0};
    if (at >= 0)
        name_trespass(trial, (uint64_t)at, out);
    for (size_t i = 0; i < trial->n_tensors && !out->any; i++)
        if (trial->tensors[i].written)
            compare_gaps(trial, i, zone, out);
}
