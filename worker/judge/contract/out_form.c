/* worker/judge/contract/out_form.c - does an `.out` op make what its functional
 * op makes, wherever its `out` lies?
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/cases/gen_case.h"
#include "worker/judge/contract/contract.h"
#include "worker/judge/contract/subject.h"
#include "worker/judge/eval/eval.h"
#include "worker/worker.h"

enum { MAX_OUTS = 16 };

/* Where `out` lies and what it is, beside one as the result is. */
enum form {
    FORM_PLAIN,
    FORM_STRIDED,
    FORM_OFFSET,
    FORM_ARGUMENT,
    FORM_SHAPE,
    FORM_DTYPE
};

static const struct {
    enum form form;
    const char *name;
    unsigned char poison;
} tries[] = {
    {FORM_PLAIN, "an out of NaN", 0xFF},
    {FORM_PLAIN, "an out of small numbers", 0x3C},
    {FORM_STRIDED, "strided", 0xFF},
    {FORM_OFFSET, "at an offset", 0xFF},
    {FORM_ARGUMENT, "an argument", 0xFF},
    {FORM_SHAPE, "of another shape", 0xFF},
    {FORM_DTYPE, "of another dtype", 0xFF},
};

enum { N_TRIES = sizeof(tries) / sizeof(tries[0]) };

/* What the functional op was given or made, in the host's memory. */
struct held {
    struct osw_tensor_desc desc;
    void *bytes; /* NULL: exact counts */
    const double *exact;
    uint64_t n_bytes;
};

struct comparing {
    osw_arena_t *memory; /* outlives the case's */
    struct osw_subject *s;
    const struct osw_bundle *functional, *out;
    size_t n_inputs, n_outs;
    struct held *inputs; /* [n_inputs] */
    struct held outs[MAX_OUTS];
    struct osw_subtest *found;
    struct osw_text words; /* of forms that were right or refused */
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for an out");
}

/* The functional op's folder. */
static const char *name_of(const struct comparing *c)
{
    const char *slash = strrchr(c->functional->op_dir, '/');

    return slash ? slash + 1 : c->functional->op_dir;
}

#define SETTLE(c, outcome, ...)                                                \
    ((c)->found->state = OSW_SUBTEST_WAS_##outcome,                            \
     snprintf((c)->found->text, sizeof((c)->found->text), __VA_ARGS__))

/* --- what the functional op makes --- */

static const void *keep(struct comparing *c, const void *from, uint64_t n)
{
    const struct osw_place *place = c->s->given.place;
    void *to = osw_arena_alloc(c->memory, n + 1);

    if (to && n > 0)
        place->ops->copy(place->device, to, from, n);
    return to;
}

static bool keep_desc(struct comparing *c, const struct osw_tensor_desc *from,
                      struct held *out)
{
    size_t bytes = (size_t)from->ndim * sizeof(*from->shape);
    int64_t *shape = osw_arena_alloc(c->memory, bytes + 1);
    int64_t *strides = osw_arena_alloc(c->memory, bytes + 1);

    if (!shape || !strides)
        return false;
    if (bytes) {
        memcpy(shape, from->shape, bytes);
        memcpy(strides, from->strides, bytes);
    }
    out->desc = *from;
    out->desc.shape = shape;
    out->desc.strides = strides;
    return true;
}

static int hold_inputs(struct comparing *c, struct osw_error *err)
{
    const struct osw_trial *t = &c->s->given;

    c->n_inputs = t->n_tensors;
    c->inputs = osw_arena_array(c->memory, c->n_inputs + 1, sizeof(*c->inputs));
    for (size_t i = 0; c->inputs && i < c->n_inputs; i++) {
        struct held *h = &c->inputs[i];

        h->n_bytes = t->tensors[i].extent;
        h->bytes = (void *)keep(c, t->image + t->tensors[i].offset, h->n_bytes);
        if (!h->bytes || !keep_desc(c, t->tensors[i].desc, h))
            return no_memory(err);
    }
    return c->inputs ? 0 : no_memory(err);
}

static int hold_outputs(struct comparing *c, struct held to[MAX_OUTS],
                        struct osw_error *err)
{
    const struct osw_oracle_result *r = &c->s->real;

    for (uint32_t i = 0; i < r->n_outputs; i++) {
        const struct osw_oracle_output *o = &r->outputs[i];
        struct held *h = &to[i];

        *h = (struct held){.bytes = NULL};
        h->n_bytes = (uint64_t)osw_output_extent(&o->as_run);
        if (o->want.exact)
            h->exact =
                keep(c, o->want.exact,
                     (uint64_t)osw_output_numel(&o->as_run) * sizeof(double));
        else
            h->bytes = (void *)keep(c, o->want.view.data, h->n_bytes);
        if ((!h->exact && !h->bytes) || !keep_desc(c, &o->desc, h))
            return no_memory(err);
    }
    return 0;
}

static int choose(struct comparing *c, const char *impl)
{
    struct osw_judge *judge = c->s->judge;

    for (size_t i = 0; i < judge->op.n_impls; i++)
        if (strcmp(judge->op.impls[i].name, impl) == 0) {
            c->s->index = i;
            osw_subject_load_fresh(c->s);
            return 0;
        }
    return -1;
}

/* Before another op is loaded, whose processes end those of this one. */
static void drop(struct comparing *c)
{
    if (c->s->sandbox)
        osw_pool_drop(&c->s->judge->pool, c->s->sandbox->id);
    c->s->sandbox = NULL;
}

/* False: it is settled why not, or err is set. */
static bool run_functional(struct comparing *c, const char *impl,
                           struct osw_error *err)
{
    struct osw_subject *s = c->s;
    struct osw_subject_made made;

    if (osw_judge_begin_trial(s->judge, c->functional, &s->given, err) < 0)
        return false;
    if (choose(c, impl) < 0) {
        SETTLE(c, SKIPPED, "'%s' has no implementation of that name",
               name_of(c));
        return false;
    }
    if (s->sandbox && s->sandbox->traits.own_outputs) {
        SETTLE(c, SKIPPED, "not for Python");
        return false;
    }
    if (hold_inputs(c, err) < 0)
        return false;
    osw_subject_call(s, &s->given, &s->real, &made);
    if (!made.ran || s->real.n_outputs != c->n_outs)
        SETTLE(c, SKIPPED, "'%s' on its case: %s", name_of(c),
               made.ran ? "makes other outputs than it returns" : made.text);
    return made.ran && s->real.n_outputs == c->n_outs &&
           hold_outputs(c, c->outs, err) == 0;
}

/* --- the case with an `out` of some form --- */

/* Any but the result's own. */
static enum osw_dtype_id other_dtype(enum osw_dtype_id dtype)
{
    return dtype == OSW_F64 ? OSW_F32 : OSW_F64;
}

/* `T([2, 3], f32, (6, 2))` */
static void put_out(const struct held *h, enum form form, struct osw_text *text)
{
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM], step = 2;
    struct osw_tensor_desc d = {.dtype = h->desc.dtype,
                                .ndim = h->desc.ndim,
                                .strided = form == FORM_STRIDED,
                                .shape = shape,
                                .strides = strides};
    const struct osw_value v = {.kind = OSW_VALUE_TENSOR, .u.tensor = &d};

    if (form == FORM_DTYPE)
        d.dtype = other_dtype(d.dtype);
    for (int32_t i = 0; i < d.ndim; i++)
        shape[i] = h->desc.shape[i];
    if (form == FORM_SHAPE && d.ndim == 0)
        shape[d.ndim++] = 2;
    else if (form == FORM_SHAPE)
        shape[0]++;
    for (int32_t i = d.ndim - 1; i >= 0; i--) {
        strides[i] = step;
        step *= shape[i] > 1 ? shape[i] : 1;
    }
    osw_notation_print_value(text, &v);
}

/* The functional case with places for results; NULL: no memory. */
static const char *case_of(struct comparing *c, const struct osw_schema *schema,
                           enum form form)
{
    const char *text = c->functional->case_text, *copy = NULL;
    size_t n = strlen(text) - strlen("})");
    struct osw_text t = OSW_TEXT_INIT;

    osw_text_add_n(&t, text, n);
    for (size_t i = 0; i < c->n_outs; i++) {
        osw_text_printf(&t, "%s'%s': ", i || text[n - 1] != '{' ? ", " : "",
                        schema->args[schema->n_args - c->n_outs + i].name);
        put_out(&c->outs[i], form, &t);
    }
    osw_text_add(&t, "})");
    if (osw_text_str(&t))
        copy = osw_arena_strdup(c->memory, t.data);
    osw_text_free(&t);
    return copy;
}

/* An argument that could be the first result; -1: none. */
static int argument_like(const struct comparing *c)
{
    const struct osw_tensor_desc *d = &c->outs[0].desc;

    for (size_t i = 0; i < c->n_inputs; i++) {
        const struct osw_tensor_desc *in = &c->inputs[i].desc;

        if (in->dtype == d->dtype && in->ndim == d->ndim && d->ndim > 0 &&
            memcmp(in->shape, d->shape, (size_t)d->ndim * sizeof(*d->shape)) ==
                0 &&
            osw_tensor_is_contiguous(in->ndim, in->shape, in->strides))
            return (int)i;
    }
    return -1;
}

/* The inputs of the functional call, a poisoned `out`, and where the code is
 * told that it lies.  The guards of the image are left: 4 KiB before and after
 * each tensor.
 */
static void prepare(struct comparing *c, enum form form, unsigned char poison)
{
    struct osw_trial *t = &c->s->given;
    const struct osw_place *place = t->place;
    uint64_t *first = &t->offsets[c->n_inputs];

    for (size_t i = 0; i < c->n_inputs; i++)
        place->ops->copy(place->device, t->image + t->tensors[i].offset,
                         c->inputs[i].bytes, c->inputs[i].n_bytes);
    for (size_t i = c->n_inputs; i < t->n_tensors; i++)
        place->ops->set(place->device, t->image + t->tensors[i].offset, poison,
                        t->tensors[i].extent);
    if (form == FORM_OFFSET)
        *first += osw_dtype_info((int)c->outs[0].desc.dtype)->bytes;
    if (form == FORM_ARGUMENT)
        *first = t->offsets[argument_like(c)];
}

/* --- is it right? --- */

static double element(const struct held *h, int64_t i)
{
    size_t bytes = osw_dtype_info((int)h->desc.dtype)->bytes;
    double v;

    if (h->exact)
        return h->exact[i];
    osw_view_load(h->desc.dtype,
                  (char *)h->bytes +
                      (size_t)osw_view_offset(&h->desc, i) * bytes,
                  1, 1, &v);
    return v;
}

static bool same_double(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_bits(const struct held *a, const struct held *b, int64_t i)
{
    size_t bytes = osw_dtype_info((int)a->desc.dtype)->bytes;

    if (a->exact || b->exact)
        return same_double(element(a, i), element(b, i));
    return memcmp(
               (char *)a->bytes + (size_t)osw_view_offset(&a->desc, i) * bytes,
               (char *)b->bytes + (size_t)osw_view_offset(&b->desc, i) * bytes,
               bytes) == 0;
}

/* Another way through the same code may round otherwise. */
static bool is_close(double got, double want, enum osw_dtype_id dtype,
                     double largest)
{
    static const double eps[] = {[OSW_F64] = DBL_EPSILON,
                                 [OSW_F32] = FLT_EPSILON,
                                 [OSW_F16] = 0x1p-10,
                                 [OSW_BF16] = 0x1p-7};
    double e = dtype < sizeof(eps) / sizeof(eps[0]) ? eps[dtype] : 0;

    return same_double(got, want) || same_double(got, (double)(float)want) ||
           fabs(got - want) <= 16 * e * largest;
}

/* Elements of output k that are wrong. */
static int64_t count_wrong(struct comparing *c, size_t k,
                           const struct held *got, enum form form)
{
    const struct held *want = &c->outs[k];
    int64_t n = osw_tensor_numel(want->desc.ndim, want->desc.shape), wrong = 0;
    double largest = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(element(want, i)))
            largest = fmax(largest, fabs(element(want, i)));
    for (int64_t i = 0; i < n; i++)
        wrong += form == FORM_PLAIN
                     ? !same_bits(got, want, i)
                     : !is_close(element(got, i), element(want, i),
                                 want->desc.dtype, largest);
    return wrong;
}

static bool same_shape(const struct osw_tensor_desc *a,
                       const struct osw_tensor_desc *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof(*a->shape)) == 0;
}

/* What it made; false: FAILED is settled, or err is set. */
static bool is_right(struct comparing *c, const char *name, enum form form,
                     struct osw_error *err)
{
    const struct osw_oracle_result *r = &c->s->real;
    size_t first = c->s->given.n_args - c->n_outs;
    struct held got[MAX_OUTS];

    if (r->n_outputs != c->n_outs) {
        SETTLE(c, FAILED, "%s: makes %u outputs, expected %zu", name,
               r->n_outputs, c->n_outs);
        return false;
    }
    if (hold_outputs(c, got, err) < 0)
        return false;
    for (size_t k = 0; k < c->n_outs; k++) {
        int64_t wrong;

        /* where two arguments have one address, either name will do */
        if (r->outputs[k].as_run.alias != (int32_t)(first + k) &&
            form != FORM_ARGUMENT) {
            SETTLE(c, FAILED, "%s: returns no '%s'", name,
                   c->s->given.args[first + k].name);
            return false;
        }
        if (!same_shape(&got[k].desc, &c->outs[k].desc)) {
            SETTLE(c, FAILED,
                   "%s: it is taken: expected an error, or OSW_UNSUPPORTED",
                   name);
            return false;
        }
        wrong = count_wrong(c, k, &got[k], form);
        if (wrong > 0) {
            SETTLE(c, FAILED, "%s: %lld of %lld values are not those of '%s'",
                   name, (long long)wrong,
                   (long long)osw_tensor_numel(c->outs[k].desc.ndim,
                                               c->outs[k].desc.shape),
                   name_of(c));
            return false;
        }
    }
    return true;
}

/* Did it write where it must not?  True: FAILED is settled. */
static bool has_trespassed(struct comparing *c, const char *name,
                           enum form form)
{
    struct osw_subject *s = c->s;
    struct osw_trespass trespass = {.any = false};

    if (form != FORM_OFFSET && form != FORM_ARGUMENT &&
        s->sandbox->zone == s->given.place->zone)
        osw_trial_compare(&s->given,
                          osw_sandbox_zone(s->sandbox, s->sandbox->zone).base,
                          &trespass);
    if (trespass.any)
        SETTLE(c, FAILED, "%s: %s", name, trespass.text);
    return trespass.any;
}

/* --- all of it --- */

/* As its folder's generator would have made it. */
static int make_bundle(struct comparing *c, enum form form,
                       struct osw_bundle *bundle, struct osw_error *err)
{
    const struct osw_op *op = &c->s->judge->op;
    const char *text = case_of(c, op->schema, form);
    struct osw_gen_case gen;
    struct osw_case parsed;

    if (!text)
        return no_memory(err);
    if (osw_notation_parse_case(c->memory, text, strlen(text), &parsed, err) <
            0 ||
        osw_gen_case_make(c->memory, op, &parsed, NULL, 0, &gen, err) < 0)
        return -1;
    bundle->case_text = gen.text;
    bundle->fill = gen.fill;
    return 0;
}

static int begin(struct comparing *c, enum form form, unsigned char poison,
                 struct osw_error *err)
{
    struct osw_subject *s = c->s;
    struct osw_bundle bundle = *c->out;

    drop(c);
    if (osw_judge_load_op(s->judge, bundle.op_dir, err) < 0 ||
        make_bundle(c, form, &bundle, err) < 0 ||
        osw_judge_begin_trial(s->judge, &bundle, &s->given, err) < 0)
        return -1;
    if (s->given.n_tensors != c->n_inputs + c->n_outs)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' takes other tensors than '%s'", bundle.op_dir,
                        name_of(c));
    prepare(c, form, poison);
    s->is_filled = true;
    return 0;
}

/* One form of `out`: 1 go on, 0 it is settled, -1 err is set. */
static int try_form(struct comparing *c, const char *impl, size_t i,
                    struct osw_error *err)
{
    const char *name = tries[i].name;
    enum form form = tries[i].form;
    struct osw_subject_made made;

    if (form == FORM_ARGUMENT && argument_like(c) < 0)
        return 1;
    if (begin(c, form, tries[i].poison, err) < 0 || choose(c, impl) < 0)
        return err->status == OSW_OK ? 0 : -1;
    osw_subject_call(c->s, &c->s->given, &c->s->real, &made);
    if (!c->s->sandbox || !osw_sandbox_alive(c->s->sandbox)) {
        SETTLE(c, FAILED, "%s: %s", name, made.text);
        return 0;
    }
    if (!made.ran && form == FORM_PLAIN) {
        SETTLE(c, FAILED, "%s: refused, '%s' runs the case: %s", name,
               name_of(c), made.text);
        return 0;
    }
    if (has_trespassed(c, name, form) ||
        (made.ran && !is_right(c, name, form, err)))
        return err->status == OSW_OK ? 0 : -1;
    if (form != FORM_PLAIN)
        osw_text_printf(&c->words, "; %s: %s", name,
                        made.ran ? "right" : "refused");
    return 1;
}

static int compare(struct comparing *c, const char *impl, struct osw_error *err)
{
    int rc = 1;

    if (!run_functional(c, impl, err))
        return err->status == OSW_OK ? 0 : -1;
    for (size_t i = 0; rc == 1 && i < N_TRIES; i++)
        rc = try_form(c, impl, i, err);
    if (rc == 1)
        SETTLE(c, OK, "same bits as '%s' over two poisons%s", name_of(c),
               osw_text_str(&c->words) ? c->words.data : "");
    return rc < 0 ? -1 : 0;
}

int osw_worker_out_form(osw_worker_t *worker,
                        const struct osw_bundle *functional,
                        const struct osw_bundle *out, const char *impl,
                        uint32_t n_outs, struct osw_subtest *found,
                        struct osw_error *err)
{
    struct osw_contract unused = {.loaded = false};
    struct osw_subject subject = {.judge = &worker->judge, .out = &unused};
    struct comparing c = {.memory = osw_arena_create(),
                          .s = &subject,
                          .functional = functional,
                          .out = out,
                          .n_outs = n_outs,
                          .found = found,
                          .words = OSW_TEXT_INIT};
    int rc;

    *found = (struct osw_subtest){.state = OSW_SUBTEST_WAS_SKIPPED};
    if (!c.memory)
        return no_memory(err);
    if (n_outs > MAX_OUTS) {
        SETTLE(&c, SKIPPED, "expected at most %d outs, found %u", MAX_OUTS,
               n_outs);
        rc = 0;
    } else {
        rc = compare(&c, impl, err);
    }
    drop(&c);
    osw_text_free(&c.words);
    osw_arena_destroy(c.memory);
    return rc;
}
