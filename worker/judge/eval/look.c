/* worker/judge/eval/look.c - check the memory after a call */
#include "worker/judge/eval/look.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/compare/product.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/layout.h"

static const struct osw_place *place_of(const struct osw_look *l)
{
    return l->inputs->trial.place;
}

/* Record a fault; false, so that `return found(...)` ends the look. */
static bool found(const struct osw_look *l, struct osw_findings *f,
                  enum osw_fault fault, const char *fmt, ...) OSW_PRINTF(4, 5);

static bool found(const struct osw_look *l, struct osw_findings *f,
                  enum osw_fault fault, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    f->fault = fault;
    f->phase = OSW_PHASE_VERIFY;
    f->text = osw_arena_strdup(l->memory, text);
    if (!f->text)
        f->text = "";
    return false;
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
 * outputs shows it; else the schema says it.  Without a schema, only native
 * code's aliasing can be checked, against a native reference's.
 */
static bool must_be_new(const struct osw_look *l, const struct osw_output *want,
                        const struct osw_output *got, uint32_t i)
{
    const struct osw_schema *schema = l->op->schema;

    if (want->alias >= 0 || want->shares != OSW_SHARES_UNKNOWN)
        return want->alias < 0 && want->shares == OSW_SHARES_NOTHING;
    if (!schema || !schema->has_signature || schema->n_returns == 0)
        return got->alias >= 0;
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

static bool overlaps(const struct osw_output *o)
{
    return osw_tensor_may_overlap(o->ndim, o->shape, o->strides);
}

static bool check_output(const struct osw_look *l, uint32_t i,
                         struct osw_findings *f)
{
    const struct osw_output *want = &l->layout->outputs[i];
    const struct osw_output *got = &l->result->outputs[i];
    char a[256], b[256];

    if (OSW_CHECKS(DTYPE) && got->dtype != want->dtype)
        return found(l, f, OSW_FAULT_DTYPE, "output %u is %s, expected %s", i,
                     osw_dtype_info((int)got->dtype)->name,
                     osw_dtype_info((int)want->dtype)->name);
    if (!OSW_CHECKS(SHAPE))
        return true;
    if (got->ndim != want->ndim ||
        memcmp(got->shape, want->shape,
               sizeof(got->shape[0]) * (size_t)got->ndim) != 0) {
        print_shape(a, sizeof(a), got);
        print_shape(b, sizeof(b), want);
        return found(l, f, OSW_FAULT_SHAPE,
                     "output %u has shape %s, expected %s", i, a, b);
    }
    if (want->alias >= 0 && got->alias != want->alias)
        return found(l, f, OSW_FAULT_SHAPE,
                     "output %u must be argument '%s' itself", i,
                     l->inputs->trial.args[want->alias].name);
    if (got->shares == OSW_SHARES_EARLIER)
        return found(l, f, OSW_FAULT_REUSED,
                     "output %u lies in the memory of the last call's result, "
                     "expected new memory",
                     i);
    if (got->shares >= OSW_SHARES_ARGUMENT && must_be_new(l, want, got, i))
        return found(l, f, OSW_FAULT_SHAPE,
                     "output %u lies in the memory of argument '%s', expected "
                     "memory of its own",
                     i, name_of_shared(l, got));
    if (got->alias < 0 && got->offset != want->offset &&
        got->offset < l->layout->spill)
        return found(l, f, OSW_FAULT_SHAPE,
                     "output %u lies where no output was given", i);
    if (overlaps(got) && !overlaps(want))
        return found(l, f, OSW_FAULT_SHAPE,
                     "elements of output %u share memory: an element was "
                     "asked for with the strides of another",
                     i);
    return true;
}

static bool check_outputs(const struct osw_look *l, struct osw_findings *f)
{
    uint32_t n = l->inputs->want.n_outputs;

    for (uint32_t i = 0; i < n && i < l->result->n_outputs; i++)
        if (!check_output(l, i, f))
            return false;
    if (l->result->n_outputs < n ||
        (l->result->n_outputs > n && OSW_CHECKS(SHAPE)))
        return found(l, f, OSW_FAULT_SHAPE, "%u output%s, expected %u",
                     l->result->n_outputs, osw_plural(l->result->n_outputs), n);
    return true;
}

/* --- the copy: outputs, one after the other --- */

static uint64_t extent_of(const struct osw_look *l, uint32_t i)
{
    return (uint64_t)osw_output_extent(&l->result->outputs[i]);
}

/* Where output i is in the copy; for i = n_outputs where the copy ends. */
static uint64_t copy_offset(const struct osw_look *l, uint32_t i)
{
    uint64_t at = 0;

    for (uint32_t k = 0; k < i; k++)
        at += (extent_of(l, k) + OSW_LAYOUT_ALIGN - 1) / OSW_LAYOUT_ALIGN *
              OSW_LAYOUT_ALIGN;
    return at;
}

static unsigned char *copied(const struct osw_look *l, uint32_t i)
{
    return (unsigned char *)place_of(l)->seen.base + copy_offset(l, i);
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
    uint64_t bytes = copy_offset(l, l->result->n_outputs) + OSW_LAYOUT_ALIGN;
    struct osw_error err = OSW_ERROR_INIT;

    *hash = 0;
    if (osw_place_ensure_bytes(place, &place->seen, bytes, &err) < 0)
        return found(l, f, OSW_FAULT_NOT_MADE,
                     "no memory for a copy of its outputs (--max-bytes): %s",
                     err.text);
    for (uint32_t i = 0; i < l->result->n_outputs; i++)
        *hash += place->ops->copy_hash(place->device, copied(l, i),
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

struct osw_view osw_look_output(const struct osw_look *l, uint32_t i,
                                struct osw_tensor_desc *desc)
{
    const struct osw_output *o = &l->result->outputs[i];

    *desc = (struct osw_tensor_desc){.dtype = o->dtype,
                                     .ndim = o->ndim,
                                     .strided = true,
                                     .shape = o->shape,
                                     .strides = o->strides};
    return (struct osw_view){.data = copied(l, i), .desc = desc};
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

/* Check the gaps that the output's own strides leave. */
static bool gaps_hold(const struct osw_look *l, uint32_t i)
{
    struct osw_tensor_desc desc;
    struct osw_view view = osw_look_output(l, i, &desc);

    return !OSW_CHECKS(GUARD) ||
           !osw_tensor_has_gaps(desc.ndim, desc.shape, desc.strides) ||
           place_of(l)->ops->check_gaps(place_of(l)->device, &view,
                                        l->pattern) < 0;
}

static bool check_workspace(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t from = l->result->guard;
    int64_t at = from == OSW_NO_OFFSET
                     ? -1
                     : broken_at(l, from, from + l->result->guard_bytes);

    return at < 0 || found(l, f, OSW_FAULT_GUARD,
                           "wrote past the end of its workspace, at byte %lld",
                           (long long)at);
}

static bool check_guards(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t from = l->inputs->trial.inputs_bytes;
    uint32_t n = l->inputs->want.n_outputs;

    for (uint32_t i = 0; i <= n; i++) {
        const struct osw_output *o = i < n ? &l->layout->outputs[i] : NULL;
        uint64_t to = o ? o->offset : l->layout->outputs_end, spare;
        int64_t at;

        if (o && o->alias >= 0)
            continue;
        spare = i > 0 ? l->spare : 0; /* outputs end elsewhere, too */
        at = to > from + spare ? broken_at(l, from, to - spare) : -1;
        if (at >= 0)
            return found(l, f, OSW_FAULT_GUARD,
                         "wrote outside of its outputs, at byte %llu %s",
                         (unsigned long long)(o ? to - from - (uint64_t)at
                                                : (uint64_t)at + l->spare),
                         o ? "before the next one" : "after the last one");
        if (o && !gaps_hold(l, i))
            return found(l, f, OSW_FAULT_GUARD,
                         "wrote between the elements of output %u", i);
        if (o)
            from = to + (uint64_t)osw_output_extent(o) + l->spare;
    }
    return check_workspace(l, f);
}

static bool check_inputs(const struct osw_look *l, struct osw_findings *f)
{
    struct osw_trespass t;

    osw_trial_compare(&l->inputs->trial, l->zone, &t);
    if (!t.any || !(t.input ? OSW_CHECKS(MUTATED) : OSW_CHECKS(GUARD)))
        return true;
    return found(l, f, t.input ? OSW_FAULT_MUTATED : OSW_FAULT_GUARD, "%s",
                 t.text);
}

/* --- values --- */

static double nan_max(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* Errors over norms: the output with the worst ratio to its own limit counts.
 * Excused: rounding explains the errors.
 */
static void keep_norm_errors(struct osw_value_errors *sum,
                             const struct osw_errors *e,
                             const struct osw_tolerance_job *tolerance,
                             bool excused)
{
    double rms = osw_tolerance_rms(e), limit;

    if (e->n_norm == 0)
        return;
    limit = osw_tolerance_class(tolerance, e);
    if (limit > 0 &&
        (isnan(sum->tol_norm) || rms * sum->tol_norm > sum->rms_norm * limit)) {
        sum->rms_norm = rms;
        sum->tol_norm = limit;
    } else if (isnan(sum->rms_norm)) {
        sum->rms_norm = rms;
    }
    sum->max_norm = nan_max(sum->max_norm, e->max_norm);
    sum->imprecise = sum->imprecise || (limit > 0 && rms > limit && !excused);
}

/* Bad elements that rounding does not explain. */
static int64_t n_bad(const struct osw_oracle_output *o,
                     const struct osw_errors *e)
{
    bool values = o->accept.exact      ? OSW_CHECKS(TO_THE_BIT)
                  : o->tolerance.norms ? OSW_CHECKS(NORM_ELEMENT)
                                       : OSW_CHECKS(VALUE_TOLERANCE);

    return (values ? e->n_bad - e->n_nan : 0) +
           (OSW_CHECKS(NAN) ? e->n_nan : 0);
}

static void keep_errors(const struct osw_oracle_output *o, uint32_t i,
                        const struct osw_errors *e, bool excused,
                        struct osw_value_errors *sum)
{
    sum->n_elem += e->n_elem;
    sum->n_bad += excused ? 0 : n_bad(o, e);
    sum->n_nan += e->n_nan;
    sum->max_abs = nan_max(sum->max_abs, e->max_abs);
    sum->max_rel = nan_max(sum->max_rel, e->max_rel);
    sum->max_ulp = nan_max(sum->max_ulp, e->max_ulp);
    sum->max_allowed = nan_max(
        sum->max_allowed, excused ? fmin(e->max_allowed, 1) : e->max_allowed);
    sum->tol_abs = nan_max(sum->tol_abs, o->accept.exact ? 0 : o->accept.atol);
    sum->tol_rel = nan_max(sum->tol_rel, o->accept.exact ? 0 : o->accept.rtol);
    if (sum->first_bad < 0 && n_bad(o, e) > 0 && !excused) {
        sum->first_bad = e->first_bad;
        sum->bad_output = (int32_t)i;
    }
    keep_norm_errors(sum, e, &o->tolerance, excused);
    sum->sum_sq += e->sum_sq;
}

static const struct osw_value_errors no_errors = {.first_bad = -1,
                                                  .bad_output = -1,
                                                  .max_abs = NAN,
                                                  .max_rel = NAN,
                                                  .max_ulp = NAN,
                                                  .max_allowed = NAN,
                                                  .rms_norm = NAN,
                                                  .max_norm = NAN,
                                                  .tol_abs = NAN,
                                                  .tol_rel = NAN,
                                                  .tol_norm = NAN};

void osw_findings_keep_errors(const struct osw_findings *f,
                              struct osw_record *r)
{
    const struct osw_value_errors *e = &f->errors;

    if (!f->compared)
        return;
    r->n_elem = e->n_elem;
    r->n_bad = e->n_bad;
    r->n_nan = e->n_nan;
    r->first_bad = e->first_bad;
    r->bad_output = e->bad_output;
    r->max_abs_err = e->max_abs;
    r->max_rel_err = e->max_rel;
    r->max_ulp_err = e->max_ulp;
    r->err_of_allowed = e->max_allowed;
    r->rms_norm_err = e->rms_norm;
    r->max_norm_err = e->max_norm;
    r->tol_abs = e->tol_abs;
    r->tol_rel = e->tol_rel;
    r->tol_norm = e->tol_norm;
}

/* What output i held before it was written: code that makes outputs itself has
 * them from malloc().
 */
static unsigned char poison_of(const struct osw_look *l, uint32_t i)
{
    return l->result->outputs[i].shares == OSW_SHARES_UNKNOWN
               ? l->pattern
               : osw_heap_poison(l->pattern);
}

/* Does the first bad element still hold nothing but poison? */
static bool is_untouched(const struct osw_look *l,
                         const struct osw_value_errors *e)
{
    struct osw_tensor_desc desc;
    struct osw_element element;
    struct osw_view view;

    if (e->first_bad < 0 || !OSW_CHECKS(UNTOUCHED))
        return false;
    view = osw_look_output(l, (uint32_t)e->bad_output, &desc);
    osw_place_element(place_of(l), &view, e->first_bad, &element);
    return osw_guard_is_poison(&element.view, 0,
                               poison_of(l, (uint32_t)e->bad_output));
}

/* "got 1.5, expected 1.25", wherever the values lie. */
static void describe_bad(const struct osw_look *l,
                         const struct osw_value_errors *e, char *words,
                         size_t size)
{
    const struct osw_expected *want =
        &l->inputs->want.outputs[e->bad_output].want;
    struct osw_element got, expected;
    struct osw_tensor_desc desc;
    struct osw_view view = osw_look_output(l, (uint32_t)e->bad_output, &desc);
    struct osw_expected one = {.exact = NULL};
    double exact;

    osw_place_element(place_of(l), &view, e->first_bad, &got);
    if (want->exact) {
        place_of(l)->ops->copy(place_of(l)->device, &exact,
                               want->exact + e->first_bad, sizeof(exact));
        one.exact = &exact;
    } else {
        osw_place_element(place_of(l), &want->view, e->first_bad, &expected);
        one.view = expected.view;
    }
    osw_compare_describe(&got.view, &one, 0, words, size);
}

static void say_wrong(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_value_errors *e = &f->errors;
    char words[256], by_nan[48] = "";

    f->untouched = is_untouched(l, e);
    if (e->n_bad == 0) {
        found(l, f, OSW_FAULT_VALUES,
              "rms of error over norm is %.3g, its precision allows %.3g%s%s",
              e->rms_norm, e->tol_norm, f->appeal ? "; " : "",
              f->appeal ? f->appeal : "");
        return;
    }
    describe_bad(l, e, words, sizeof(words));
    if (e->n_nan > 0 && e->n_nan < e->n_bad) /* the first may be no NaN */
        snprintf(by_nan, sizeof(by_nan), " (%lld by NaN)", (long long)e->n_nan);
    found(l, f, OSW_FAULT_VALUES,
          "%lld of %lld element%s wrong%s, the first is %lld of output %d: "
          "%s%s%s",
          (long long)e->n_bad, (long long)e->n_elem,
          osw_plural((uint64_t)e->n_elem), by_nan, (long long)e->first_bad,
          (int)e->bad_output, words, f->appeal ? "; " : "",
          f->appeal ? f->appeal : "");
}

/* Would output i be refused, and does rounding explain its errors?  Of several
 * outputs the words on a refused one count.
 */
static bool is_excused(const struct osw_look *l, uint32_t i,
                       const struct osw_view *got, const struct osw_errors *e,
                       struct osw_findings *f)
{
    const struct osw_oracle_output *o = &l->inputs->want.outputs[i];
    double limit = osw_tolerance_class(&o->tolerance, e);
    struct osw_appeal_job job = {.reference = l->appeals,
                                 .trial = l->appealed,
                                 .oracle = &l->inputs->want,
                                 .output = i,
                                 .got = got};
    char words[256];
    bool excused;

    if (!l->appeals ||
        (n_bad(o, e) == 0 && !(limit > 0 && osw_tolerance_rms(e) > limit)))
        return false;
    excused = osw_appeal_accepts(&job, e, words, sizeof(words));
    if (words[0] && (!excused || !f->appeal))
        f->appeal = osw_arena_strdup(l->memory, words);
    return excused;
}

static void compare_values(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_oracle_result *want = &l->inputs->want;

    for (uint32_t i = 0; i < want->n_outputs; i++) {
        struct osw_tensor_desc desc;
        struct osw_view got = osw_look_output(l, i, &desc);
        struct osw_errors e;

        place_of(l)->ops->compare(place_of(l)->device, &got,
                                  &want->outputs[i].want,
                                  &want->outputs[i].accept, &e);
        keep_errors(&want->outputs[i], i, &e, is_excused(l, i, &got, &e, f),
                    &f->errors);
    }
    if (f->errors.n_bad > 0 || f->errors.imprecise)
        say_wrong(l, f);
}

static void compare_product(const struct osw_look *l, struct osw_findings *f)
{
    struct osw_value_errors *e = &f->errors;
    struct osw_product_answer answer;
    struct osw_tensor_desc desc;
    struct osw_view got = osw_look_output(l, 0, &desc);

    osw_product_check(l->op, &l->inputs->trial, &got, &answer);
    e->n_elem = answer.n_elem;
    if (answer.applies && (answer.right || !OSW_CHECKS(FREIVALDS))) {
        e->tol_abs = e->tol_rel = 0;
        return;
    }
    if (!answer.applies) {
        found(l, f, OSW_FAULT_UNKNOWN, "%s", answer.text);
        return;
    }
    e->n_bad = 1; /* at least */
    e->n_nan = answer.nan;
    e->first_bad = answer.first_bad;
    e->bad_output = 0;
    found(l, f, OSW_FAULT_VALUES, "%s", answer.text);
}

/* Without values there is nothing to compare with: the cell ends unverified. */
static void compare(const struct osw_look *l, struct osw_findings *f)
{
    f->compared = true;
    f->errors = no_errors;
    if (l->check == OSW_CHECK_FREIVALDS)
        compare_product(l, f);
    else if (l->inputs->want.have_values)
        compare_values(l, f);
}

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
    return found(l, f, OSW_FAULT_DEVICE, "%s", err.text);
}

static void look(const struct osw_look *l, struct osw_findings *f)
{
    uint64_t hash;

    if (!check_outputs(l, f) || !take_copy(l, &hash, f) ||
        !check_guards(l, f) || !check_inputs(l, f))
        return;
    f->claimed = l->result->hash;
    f->hash = hash;
    if (is_known(l, f)) {
        f->compared = true;
        f->errors = l->before->errors;
        f->appeal = l->before->appeal;
    } else {
        compare(l, f);
    }
    if (OSW_CHECKS(ASYNC_HASH) && f->claimed != f->hash)
        found(l, f, OSW_FAULT_ASYNC,
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
