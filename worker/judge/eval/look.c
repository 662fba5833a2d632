/* worker/judge/eval/look.c - check the memory after a call */
#include "worker/judge/eval/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/eval/checks.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/layout.h"

static const struct osw_place *place_of(const struct osw_look *l)
{
    return l->inputs->trial.place;
}

/* --- dtypes and shapes: what the result says, no memory is read --- */

static void print_shape(char *out, size_t size, const struct osw_output *o)
{
    size_t used = (size_t)snprintf(out, size, "[");

    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->shape[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

/* Must output i not be a view of an argument?  A reference that allocates its
 * outputs shows it, unless they are empty and lie nowhere; else the schema says
 * it.  Without a schema, only native code's aliasing can be checked, against a
 * native reference's.
 */
static bool must_be_new(const struct osw_look *l, const struct osw_output *want,
                        const struct osw_output *got, uint32_t i)
{
    const struct osw_schema *schema = l->op->schema;
    bool native = want->shares == OSW_SHARES_UNKNOWN;

    if (want->alias >= 0 || (!native && osw_output_extent(want) > 0))
        return want->alias < 0 && want->shares == OSW_SHARES_NOTHING;
    if (!schema || !schema->has_signature || schema->n_returns == 0)
        return native && got->alias >= 0;
    i = i < schema->n_returns ? i : schema->n_returns - 1;
    return !schema->returns[i].type.alias;
}

static const char *name_of_shared(const struct osw_look *l,
                                  const struct osw_output *got)
{
    uint32_t arg = got->shares - OSW_SHARES_ARGUMENT;

    return arg < l->inputs->trial.n_args ? l->inputs->trial.args[arg].name
                                         : "?";
}

/* "xs", and of a list "xs[1]". */
static const char *name_of_alias(const struct osw_look *l, int32_t alias,
                                 char *words, size_t size)
{
    const struct osw_bound_arg *arg =
        &l->inputs->trial.args[osw_output_alias_arg(alias)];

    if (arg->value->kind == OSW_VALUE_TENSOR)
        return arg->name;
    snprintf(words, size, "%s[%u]", arg->name, osw_output_alias_place(alias));
    return words;
}

static const struct osw_output *expected(const struct osw_look *l, uint32_t i)
{
    return &l->inputs->want.outputs[i].as_run;
}

/* Does output i lie where the judge laid it out? */
static bool is_in_place(const struct osw_look *l, uint32_t i)
{
    return i < l->layout->n_outputs &&
           l->result->outputs[i].offset == l->layout->outputs[i].offset;
}

static bool overlaps(const struct osw_output *o)
{
    return osw_tensor_may_overlap(o->ndim, o->shape, o->strides);
}

static bool check_output(const struct osw_look *l, uint32_t i,
                         struct osw_findings *f)
{
    const struct osw_output *want = expected(l, i);
    const struct osw_output *got = &l->result->outputs[i];
    char a[256], b[256];

    if (OSW_CHECKS(DTYPE) && got->dtype != want->dtype)
        return osw_look_found(l, f, OSW_FAULT_DTYPE,
                              "output %u is %s, expected %s", i,
                              osw_dtype_info((int)got->dtype)->name,
                              osw_dtype_info((int)want->dtype)->name);
    if (!OSW_CHECKS(SHAPE))
        return true;
    if (got->ndim != want->ndim ||
        memcmp(got->shape, want->shape,
               sizeof(got->shape[0]) * (size_t)got->ndim) != 0) {
        print_shape(a, sizeof(a), got);
        print_shape(b, sizeof(b), want);
        return osw_look_found(l, f, OSW_FAULT_SHAPE,
                              "output %u has shape %s, expected %s", i, a, b);
    }
    if (want->alias >= 0 && got->alias != want->alias)
        return osw_look_found(l, f, OSW_FAULT_SHAPE,
                              "output %u must be argument '%s' itself", i,
                              name_of_alias(l, want->alias, a, sizeof(a)));
    if (got->shares == OSW_SHARES_EARLIER)
        return osw_look_found(l, f, OSW_FAULT_REUSED,
                              "output %u lies in the memory of the last "
                              "call's result, expected new memory",
                              i);
    if (got->shares >= OSW_SHARES_ARGUMENT && must_be_new(l, want, got, i))
        return osw_look_found(
            l, f, OSW_FAULT_SHAPE,
            "output %u lies in the memory of argument '%s', expected "
            "memory of its own",
            i, name_of_shared(l, got));
    if (got->alias < 0 && !is_in_place(l, i) && got->offset < l->layout->spill)
        return osw_look_found(l, f, OSW_FAULT_SHAPE,
                              "output %u lies where no output was given", i);
    if (overlaps(got) && !overlaps(want))
        return osw_look_found(
            l, f, OSW_FAULT_SHAPE,
            "elements of output %u share memory: an element was "
            "asked for with the strides of another",
            i);
    return true;
}

/* May the op write the argument that output i is?  On some inputs the reference
 * does not: then it is one output more, and has to stay as it is.
 */
static bool may_be_written(const struct osw_look *l, uint32_t i)
{
    const struct osw_trial *trial = &l->inputs->trial;

    for (size_t t = 0; t < trial->n_tensors; t++)
        if (trial->tensors[t].alias == l->result->outputs[i].alias)
            return trial->tensors[t].written;
    return false;
}

static bool check_number(const struct osw_look *l, struct osw_findings *f)
{
    uint32_t n = l->inputs->want.n_outputs, got = l->result->n_outputs, i = n;
    int32_t alias = got < n ? expected(l, got)->alias : -1;
    char name[256];

    while (i < got && may_be_written(l, i))
        i++;
    if (got == n || (got > n && (i == got || !OSW_CHECKS(SHAPE))))
        return true;
    if (alias < 0)
        return osw_look_found(l, f, OSW_FAULT_SHAPE, "%u output%s, expected %u",
                              got, osw_plural(got), n);
    return osw_look_found(
        l, f, OSW_FAULT_SHAPE,
        "%u output%s, expected %u: output %u is argument '%s', by "
        "osw_output_alias()",
        got, osw_plural(got), n, got,
        name_of_alias(l, alias, name, sizeof(name)));
}

static bool check_outputs(const struct osw_look *l, struct osw_findings *f)
{
    uint32_t n = l->inputs->want.n_outputs;

    for (uint32_t i = 0; i < n && i < l->result->n_outputs; i++)
        if (!check_output(l, i, f))
            return false;
    return check_number(l, f);
}

/* --- the copy: outputs, one after the other --- */

static uint64_t extent_of(const struct osw_look *l, uint32_t i)
{
    return (uint64_t)osw_output_extent(&l->result->outputs[i]);
}

static const unsigned char *in_zone(const struct osw_look *l, uint32_t i)
{
    return l->zone + l->result->outputs[i].offset;
}

/* All outputs, read once; and their hash by the sandbox's rule: outputs in
 * order, extents as they are.
 */
static bool take_copy(const struct osw_look *l, uint64_t *hash,
                      struct osw_findings *f)
{
    struct osw_place *place = l->inputs->trial.place;
    uint64_t bytes = osw_look_copy_bytes(l) + OSW_LAYOUT_ALIGN;
    struct osw_error err = OSW_ERROR_INIT;

    *hash = 0;
    if (osw_place_ensure_bytes(place, &place->seen, bytes, &err) < 0)
        return osw_look_found(
            l, f, OSW_FAULT_NOT_MADE,
            "no memory for a copy of its outputs (--max-bytes): %s", err.text);
    for (uint32_t i = 0; i < l->result->n_outputs; i++)
        *hash += place->ops->copy_hash(place->device, osw_look_copied(l, i),
                                       in_zone(l, i), extent_of(l, i), i);
    return true;
}

uint64_t osw_look_hash(const struct osw_look *l)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < l->result->n_outputs; i++)
        hash += place_of(l)->ops->hash(place_of(l)->device, in_zone(l, i),
                                       extent_of(l, i), i);
    return hash;
}

/* --- guards and inputs --- */

/* Offset of the first byte of [from, to) in the zone that is not poison; -1:
 * all are poison.  Nothing else reads these bytes.
 */
static int64_t broken_at(const struct osw_look *l, uint64_t from, uint64_t to)
{
    return OSW_CHECKS(GUARD)
               ? place_of(l)->ops->check(place_of(l)->device, l->zone + from,
                                         to - from, l->pattern)
               : -1;
}

/* Check the gaps of an output that lies where the judge laid it out.  What lies
 * between rows that the code itself made longer is the code's own.
 */
static bool gaps_hold(const struct osw_look *l, uint32_t i)
{
    struct osw_tensor_desc desc;
    struct osw_view view = osw_look_output(l, i, &desc);

    return !OSW_CHECKS(GUARD) || !is_in_place(l, i) ||
           !osw_tensor_has_gaps(desc.ndim, desc.shape, desc.strides) ||
           place_of(l)->ops->check_gaps(place_of(l)->device, &view,
                                        l->pattern) < 0;
}

/* Output i is not where the judge laid it out: the code asked for more room,
 * and got it with a guard on either side.
 */
static bool is_elsewhere(const struct osw_look *l, uint32_t i)
{
    return l->result->outputs[i].alias < 0 && !is_in_place(l, i);
}

/* Timed calls poison nothing there. */
static bool check_elsewhere(const struct osw_look *l, uint32_t i,
                            struct osw_findings *f)
{
    uint64_t from = l->result->outputs[i].offset, to = from + extent_of(l, i);
    uint64_t guard = osw_guard_bytes(to - from);
    int64_t at;

    if (l->timed || !is_elsewhere(l, i))
        return true;
    if (from < l->layout->spill + guard || to + guard > l->result->high_water)
        return !OSW_CHECKS(SHAPE) ||
               osw_look_found(l, f, OSW_FAULT_SHAPE,
                              "output %u lies where no output was given", i);
    at = broken_at(l, to, to + guard);
    if (at >= 0)
        return osw_look_found(l, f, OSW_FAULT_GUARD,
                              "wrote past the end of output %u, at byte %lld "
                              "after it",
                              i, (long long)at);
    at = broken_at(l, from - guard, from);
    return at < 0 || osw_look_found(l, f, OSW_FAULT_GUARD,
                                    "wrote before output %u, by %lld bytes", i,
                                    (long long)((int64_t)guard - at));
}

/* Bytes that output i takes of the place that the judge gave it.  Of earlier
 * timed calls it may have taken all.
 */
static uint64_t taken_by(const struct osw_look *l, uint32_t i)
{
    if (l->timed)
        return (uint64_t)osw_output_extent(&l->layout->outputs[i]);
    return is_elsewhere(l, i) ? 0 : extent_of(l, i);
}

static bool check_workspace(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t from = l->result->guard;
    int64_t at = from == OSW_NO_OFFSET
                     ? -1
                     : broken_at(l, from, from + l->result->guard_bytes);

    return at < 0 ||
           osw_look_found(
               l, f, OSW_FAULT_GUARD,
               "wrote past the end of its workspace%s, at byte %lld",
               l->own_memory
                   ? ", or to that of an earlier call (a kept pointer?)"
                   : "",
               (long long)at);
}

static bool check_guards(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t from = l->inputs->trial.inputs_bytes;
    uint32_t n = l->layout->n_outputs;

    for (uint32_t i = 0; i <= n; i++) {
        const struct osw_output *o = i < n ? &l->layout->outputs[i] : NULL;
        uint64_t to = o ? o->offset : l->layout->outputs_end;
        int64_t at;

        if (o && o->alias >= 0)
            continue;
        at = broken_at(l, from, to);
        if (at >= 0)
            return osw_look_found(
                l, f, OSW_FAULT_GUARD,
                "wrote outside of its outputs, at byte %llu %s",
                (unsigned long long)(o ? to - from - (uint64_t)at
                                       : (uint64_t)at),
                o ? "before the next one" : "after the last one");
        if (o && i < l->result->n_outputs && !gaps_hold(l, i))
            return osw_look_found(l, f, OSW_FAULT_GUARD,
                                  "wrote between the elements of output %u", i);
        if (o)
            from = to + taken_by(l, i);
    }
    for (uint32_t i = 0; i < l->result->n_outputs; i++)
        if (!check_elsewhere(l, i, f))
            return false;
    return check_workspace(l, f);
}

static bool check_inputs(const struct osw_look *l, struct osw_findings *f)
{
    struct osw_trespass t;

    osw_trial_compare(&l->inputs->trial, l->zone, &t);
    if (!t.any || !(t.input ? OSW_CHECKS(MUTATED) : OSW_CHECKS(GUARD)))
        return true;
    return osw_look_found(l, f, t.input ? OSW_FAULT_MUTATED : OSW_FAULT_GUARD,
                          "%s", t.text);
}

/* Does the reference have it among its outputs on these inputs? */
static bool is_output(const struct osw_oracle_result *want,
                      const struct osw_trial_tensor *t)
{
    for (uint32_t i = 0; i < want->n_outputs; i++)
        if (want->outputs[i].as_run.alias == t->alias ||
            (want->outputs[i].as_run.alias < 0 &&
             want->outputs[i].as_run.shares == OSW_SHARES_ARGUMENT + t->arg))
            return true;
    return false;
}

/* What the schema allows an op to write, and the reference leaves as it is on
 * these inputs, stays: running statistics where they are only used. */
static bool check_unreturned(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_trial *trial = &l->inputs->trial;

    if (!OSW_CHECKS(MUTATED) || !l->inputs->want.have_shapes)
        return true;
    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];
        int64_t at;

        if (!t->written || is_output(&l->inputs->want, t))
            continue;
        at = place_of(l)->ops->differs(place_of(l)->device,
                                       trial->image + t->offset,
                                       l->zone + t->offset, t->extent);
        if (at >= 0)
            return osw_look_found(l, f, OSW_FAULT_MUTATED,
                                  "wrote to argument '%s', byte %lld of %llu, "
                                  "which is no output of the reference here",
                                  trial->args[t->arg].name, (long long)at,
                                  (unsigned long long)t->extent);
    }
    return true;
}

/* --- all of it --- */

/* Did an earlier check find the same bits right?  Poison that was not
 * overwritten may happen to look right, so an earlier call that left some does
 * not count.
 */
static bool is_known(const struct osw_look *l, const struct osw_findings *f)
{
    return l->before && l->before->compared && !l->before->untouched &&
           l->before->hash == f->hash && l->before->fault != OSW_FAULT_VALUES;
}

/* If the device failed, nothing that was read is valid. */
static bool device_works(const struct osw_look *l, struct osw_findings *f)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (place_of(l)->ops->sync(place_of(l)->device, &err) == 0)
        return true;
    *f = (struct osw_findings){.fault = OSW_FAULT_NONE};
    return osw_look_found(l, f, OSW_FAULT_DEVICE, "%s", err.text);
}

static void look(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t hash;

    if (!check_outputs(l, f) || !take_copy(l, &hash, f) ||
        !check_guards(l, f) || !check_inputs(l, f) || !check_unreturned(l, f))
        return;
    f->claimed = l->result->hash;
    f->hash = hash;
    if (is_known(l, f)) {
        f->compared = true;
        f->errors = l->before->errors;
        f->appeal = l->before->appeal;
    } else {
        osw_look_values(l, f);
    }
    if (OSW_CHECKS(ASYNC_HASH) && f->claimed != f->hash)
        osw_look_found(
            l, f, OSW_FAULT_ASYNC,
            "outputs changed after it had returned: hash %016llx right "
            "after it, then %016llx",
            (unsigned long long)f->claimed, (unsigned long long)f->hash);
}

void osw_look(const struct osw_look *l, struct osw_findings *out)
{
    *out = (struct osw_findings){.text = ""};
    look(l, out);
    (void)device_works(l, out);
}
