/* worker/judge/eval/look_values.c - are the values of a call right? */
#include "worker/judge/eval/look_values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "worker/judge/compare/product.h"
#include "worker/judge/compare/truncation.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/layout.h"

enum {
    TRUNCATION_FIRST = 1 << 12, /* elements of an output that mostly decide */
    TRUNCATION_LOOK = 1 << 16   /* elements, at most, of each output */
};

static const struct osw_place *place_of(const struct osw_look *l)
{
    return l->inputs->trial.place;
}

bool osw_look_found(const struct osw_look *l, struct osw_findings *f,
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

/* --- the copy: outputs, one after the other --- */

static uint64_t copy_offset(const struct osw_look *l, uint32_t i)
{
    uint64_t at = 0;

    for (uint32_t k = 0; k < i; k++)
        at += ((uint64_t)osw_output_extent(&l->result->outputs[k]) +
               OSW_LAYOUT_ALIGN - 1) /
              OSW_LAYOUT_ALIGN * OSW_LAYOUT_ALIGN;
    return at;
}

uint64_t osw_look_copy_bytes(const struct osw_look *l)
{
    return copy_offset(l, l->result->n_outputs);
}

unsigned char *osw_look_copied(const struct osw_look *l, uint32_t i)
{
    return (unsigned char *)place_of(l)->seen.base + copy_offset(l, i);
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
    return (struct osw_view){.data = osw_look_copied(l, i), .desc = desc};
}

/* --- errors --- */

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

/* Of each wrong element, by the first one: a real number is another result's by
 * chance as seldom as its bits say; whole numbers (indices, counts, bools,
 * zeros), infinities and NaN often are.
 */
static int64_t bits_each(const struct osw_look *l, const struct osw_view *got,
                         int64_t first_bad)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)got->desc->dtype);
    struct osw_element element;
    double value;

    if (first_bad < 0 || info->class != OSW_CLASS_FLOAT)
        return 1;
    osw_place_element(place_of(l), got, first_bad, &element);
    value = osw_load(info->dl, element.bytes);
    return isfinite(value) && value != trunc(value) ? info->dl.bits : 1;
}

static void keep_errors(const struct osw_oracle_output *o, uint32_t i,
                        const struct osw_errors *e, bool excused,
                        struct osw_value_errors *sum)
{
    sum->n_elem += e->n_elem;
    sum->n_bad += excused ? 0 : n_bad(o, e);
    sum->n_nan += excused ? 0 : e->n_nan;
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

/* The first bad element and what is expected there, brought from where they
 * lie. */
struct bad {
    struct osw_element got, expected;
    struct osw_tensor_desc desc;
    struct osw_expected want;
    double exact;
};

static void bring_bad(const struct osw_look *l,
                      const struct osw_value_errors *e, struct bad *b)
{
    const struct osw_expected *want =
        &l->inputs->want.outputs[e->bad_output].want;
    struct osw_view view =
        osw_look_output(l, (uint32_t)e->bad_output, &b->desc);

    b->want = (struct osw_expected){.exact = NULL};
    osw_place_element(place_of(l), &view, e->first_bad, &b->got);
    if (want->exact) {
        place_of(l)->ops->copy(place_of(l)->device, &b->exact,
                               want->exact + e->first_bad, sizeof(b->exact));
        b->want.exact = &b->exact;
    } else {
        osw_place_element(place_of(l), &want->view, e->first_bad, &b->expected);
        b->want.view = b->expected.view;
    }
}

/* "got 1.5, expected 1.25" */
static void describe_bad(const struct osw_look *l,
                         const struct osw_value_errors *e, char *words,
                         size_t size)
{
    struct bad b;

    bring_bad(l, e, &b);
    osw_compare_describe(&b.got.view, &b.want, 0, words, size);
}

bool osw_look_explains(const struct osw_look *l,
                       const struct osw_value_errors *e)
{
    struct bad b;

    if (e->first_bad < 0)
        return false;
    bring_bad(l, e, &b);
    return osw_compare_is_near(&b.got.view, &b.want, 0);
}

static void say_wrong(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_value_errors *e = &f->errors;
    char words[256], by_nan[48] = "";

    f->untouched = is_untouched(l, e);
    if (e->n_bad == 0) {
        osw_look_found(
            l, f, OSW_FAULT_VALUES,
            "rms of error over norm is %.3g, its precision allows %.3g%s%s",
            e->rms_norm, e->tol_norm, f->appeal ? "; " : "",
            f->appeal ? f->appeal : "");
        return;
    }
    describe_bad(l, e, words, sizeof(words));
    if (e->n_nan > 0 && e->n_nan < e->n_bad) /* the first may be no NaN */
        snprintf(by_nan, sizeof(by_nan), " (%lld by NaN)", (long long)e->n_nan);
    osw_look_found(
        l, f, OSW_FAULT_VALUES,
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

/* --- cut off, not rounded --- */

/* Bring the first n elements of an output and what is expected of them to the
 * host, to free(*memory).  False: that is not possible.
 */
static bool bring(const struct osw_look *l, const struct osw_view *got,
                  const double *want, int64_t n, double **memory)
{
    const struct osw_place *place = place_of(l);
    size_t bytes = (size_t)n * osw_view_elem_bytes(got);
    struct osw_error err = OSW_ERROR_INIT;
    double *to = malloc((size_t)n * sizeof(*to) + bytes);

    *memory = to;
    if (!to)
        return false;
    place->ops->copy(place->device, to, want, (uint64_t)n * sizeof(*to));
    place->ops->copy(place->device, to + n, got->data, bytes);
    return place->ops->sync(place->device, &err) == 0;
}

static bool is_dense(const struct osw_tensor_desc *d)
{
    int64_t step = 1;

    for (int32_t i = d->ndim - 1; i >= 0; i--) {
        if (d->shape[i] != 1 && d->strides[i] != step)
            return false;
        step *= d->shape[i];
    }
    return true;
}

/* Is output i cut off, although each of its elements is near enough? */
static bool is_truncated(const struct osw_look *l, uint32_t i,
                         struct osw_truncation *out)
{
    const struct osw_oracle_output *o = &l->inputs->want.outputs[i];
    struct osw_tensor_desc desc;
    struct osw_view got = osw_look_output(l, i, &desc);
    int64_t numel = osw_view_numel(&got);
    int64_t n = numel < TRUNCATION_LOOK ? numel : TRUNCATION_LOOK;
    int64_t first = n < TRUNCATION_FIRST ? n : TRUNCATION_FIRST;
    double *memory = NULL;
    bool found;

    if (!o->want.exact || !osw_truncation_is_seen(desc.dtype) ||
        !is_dense(&desc))
        return false;
    found = bring(l, &got, o->want.exact, first, &memory) &&
            osw_truncation_is_possible(desc.dtype, memory + first, memory,
                                       first, n);
    if (found && first < n) {
        free(memory);
        found = bring(l, &got, o->want.exact, n, &memory);
    }
    found =
        found && osw_truncation_find(desc.dtype, memory + n, memory, n, out);
    free(memory);
    return found;
}

static void look_for_truncation(const struct osw_look *l,
                                struct osw_findings *f)
{
    for (uint32_t i = 0; i < l->inputs->want.n_outputs; i++) {
        struct osw_truncation t;

        if (!OSW_CHECKS(TRUNCATION) || !is_truncated(l, i, &t))
            continue;
        f->errors.imprecise = true;
        osw_look_found(l, f, OSW_FAULT_VALUES,
                       "output %u is cut off, not rounded: %lld elements are "
                       "off by %.2f units in the last place on average, all to "
                       "one side",
                       i, (long long)t.n, fabs(t.mean));
        return;
    }
}

static void compare_values(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_oracle_result *want = &l->inputs->want;

    for (uint32_t i = 0; i < want->n_outputs; i++) {
        int64_t before = f->errors.n_bad;
        struct osw_tensor_desc desc;
        struct osw_view got = osw_look_output(l, i, &desc);
        struct osw_errors e;

        place_of(l)->ops->compare(place_of(l)->device, &got,
                                  &want->outputs[i].want,
                                  &want->outputs[i].accept, &e);
        keep_errors(&want->outputs[i], i, &e, is_excused(l, i, &got, &e, f),
                    &f->errors);
        if (f->errors.n_bad > before)
            f->errors.bits +=
                (f->errors.n_bad - before) * bits_each(l, &got, e.first_bad);
    }
    if (f->errors.n_bad == 0 && f->errors.imprecise)
        f->errors.bits = f->errors.n_elem;
    if (f->errors.n_bad > 0 || f->errors.imprecise)
        say_wrong(l, f);
    else
        look_for_truncation(l, f);
}

static void keep_product(const struct osw_product_answer *answer,
                         struct osw_value_errors *e)
{
    e->n_elem = answer->n_elem;
    e->rms_norm = answer->rms;
    e->tol_norm = answer->tol;
    e->max_allowed = answer->of_allowed;
    if (isnan(answer->rms))
        e->tol_abs = e->tol_rel = 0;
    if (answer->right || !answer->applies)
        return;
    e->imprecise = answer->coarse;
    e->n_bad = !answer->coarse; /* at least */
    e->n_nan = answer->nan;
    e->bits = answer->n_elem; /* it is the product of others as a whole */
    e->first_bad = answer->first_bad;
    e->bad_output = answer->first_bad < 0 ? -1 : 0;
}

/* New values are real numbers, all others small integers. */
static void compare_product(const struct osw_look *l, struct osw_findings *f)
{
    const struct osw_inputs *in = l->inputs;
    bool reals = in->kind == OSW_TRIAL_REDRAW;
    struct osw_product_answer answer;
    struct osw_tensor_desc desc;
    struct osw_view got = osw_look_output(l, 0, &desc);

    /* Vectors that follow from the result are known to no code before it. */
    osw_product_check(l->op, &in->trial, &got, f->hash,
                      reals ? &in->want.outputs[0].tolerance : NULL, &answer);
    if (reals ? !OSW_CHECKS(RESIDUAL) : !OSW_CHECKS(FREIVALDS))
        answer.right = true;
    keep_product(&answer, &f->errors);
    if (!answer.applies)
        osw_look_found(l, f, OSW_FAULT_UNKNOWN, "%s", answer.text);
    else if (!answer.right)
        osw_look_found(l, f, OSW_FAULT_VALUES, "%s", answer.text);
}

/* Without values there is nothing to compare with: the cell ends unverified. */
void osw_look_values(const struct osw_look *l, struct osw_findings *f)
{
    f->compared = true;
    f->errors = no_errors;
    if (l->check == OSW_CHECK_FREIVALDS)
        compare_product(l, f);
    else if (l->inputs->want.have_values)
        compare_values(l, f);
}
