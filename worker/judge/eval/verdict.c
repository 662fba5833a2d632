/* worker/judge/eval/verdict.c - one implementation against the expected outputs
 */
#include "worker/judge/eval/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/compare/product.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/memory/guard.h"
#include "worker/judge/memory/layout.h"

#define SECOND_LOOK_NS INT64_C(2000000)

enum {
    WORKSPACE_BYTES = 64 << 20, /* of an arena, before one asks for more */
    DEVICE_NO_MEMORY = 2,       /* cudaErrorMemoryAllocation */
};

/* Calls on new inputs: so many are tried, on inputs of at most so many bytes,
 * and all of them must take so many times longer than calls on known ones, and
 * so much more beside.
 */
enum { NOVEL_CALLS = 5, NOVEL_BYTES = 64 << 20 };
#define NOVEL_TIMES 3
#define NOVEL_NS    20000

/* Of error over norm: what no arithmetic of 8 bits or more makes. */
#define COARSEST 0x1p-4

struct verdict {
    const struct osw_verdict_job *job;
    struct osw_sandbox *sandbox;
    struct osw_record *record;
    unsigned char *base;        /* of its zone in the sandbox */
    uint64_t limit;             /* bytes of it */
    uint64_t workspace;         /* wanted behind the outputs, in an arena */
    struct osw_output *outputs; /* [oracle->n_outputs] as laid out for it */
    struct osw_restore *restores;
    uint32_t n_restores;
    uint64_t outputs_end, spill;
    const struct osw_result *result; /* of the last call */
    uint64_t hash;                   /* of its outputs, by the judge */
    uint64_t behind;                 /* the same by the sandbox, behind it */
    bool together;    /* with other calls: whoever is wrong is judged again */
    bool suspect;     /* pass A: first_bad still held the poison */
    bool imprecise;   /* worse than its precision class */
    bool differs;     /* two runs did not give the same bits */
    double sum_sq;    /* of errors */
    char appeal[256]; /* what an appeal said, of the worst output; "": none */
};

/* --- words --- */

static bool end_as(struct verdict *v, enum osw_state state,
                   enum osw_phase phase, const char *fmt, ...) OSW_PRINTF(4, 5);

/* Sets the verdict; false, so that `return end_as(...)` stops the judging. */
static bool end_as(struct verdict *v, enum osw_state state,
                   enum osw_phase phase, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    v->record->status_id = (uint8_t)state;
    v->record->phase_id = (uint8_t)phase;
    v->record->reason = osw_arena_strdup(v->job->memory, text);
    if (!v->record->reason)
        v->record->reason = "";
    return false;
}

static bool end_dead(struct verdict *v, enum osw_phase phase)
{
    v->record->signal = v->sandbox->end.signal;
    v->record->exit_code = v->sandbox->end.exit_code;
    return end_as(v, v->sandbox->end.state, phase, "%s", v->sandbox->end.text);
}

/* --- one call --- */

static const struct osw_place *place_of(const struct verdict *v)
{
    return v->job->trial->place;
}

/* Outputs and the guards around them hold the pattern before each call. */
static void poison_outputs(struct verdict *v, unsigned char pattern)
{
    place_of(v)->ops->set(place_of(v)->device,
                          v->base + v->job->trial->inputs_bytes, pattern,
                          v->outputs_end - v->job->trial->inputs_bytes);
}

static void restore_inputs(struct verdict *v)
{
    const struct osw_trial *trial = v->job->trial;

    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->tensors[i].written)
            place_of(v)->ops->copy(place_of(v)->device,
                                   v->base + trial->tensors[i].offset,
                                   trial->image + trial->tensors[i].offset,
                                   trial->tensors[i].extent);
}

/* Where outputs that alias an argument lie. */
static void place_aliases(struct verdict *v)
{
    const struct osw_trial *trial = v->job->trial;

    for (uint32_t i = 0; i < v->job->oracle->n_outputs; i++)
        if (v->outputs[i].alias >= 0)
            for (size_t t = trial->n_tensors; t-- > 0;)
                if ((int32_t)trial->tensors[t].arg == v->outputs[i].alias)
                    v->outputs[i].offset = trial->tensors[t].offset;
}

/* Offsets of outputs and of the copies for restoring, below `limit`. */
static bool lay_out(struct verdict *v, uint64_t limit)
{
    const struct osw_trial *trial = v->job->trial;

    v->outputs_end = osw_layout_outputs(v->outputs, v->job->oracle->n_outputs,
                                        trial->inputs_bytes, limit);
    if (v->outputs_end == OSW_NO_OFFSET)
        return false;
    v->spill = osw_trial_place_restores(trial, NULL, v->outputs_end, limit,
                                        v->restores, &v->n_restores);
    return v->spill != OSW_NO_OFFSET;
}

/* Outputs as they are expected; false: no memory. */
static bool describe_outputs(struct verdict *v)
{
    const struct osw_oracle_result *oracle = v->job->oracle;

    v->outputs =
        osw_arena_array(v->job->memory, oracle->n_outputs, sizeof(*v->outputs));
    v->restores = osw_arena_array(v->job->memory, v->job->trial->n_tensors,
                                  sizeof(*v->restores));
    if (!v->outputs || !v->restores)
        return false;
    for (uint32_t i = 0; i < oracle->n_outputs; i++) {
        v->outputs[i] = oracle->outputs[i].as_run;
        v->outputs[i].exact = v->outputs[i].norm = OSW_NO_OFFSET;
    }
    return true;
}

/* Lay out outputs and the copies for restoring; false, with the verdict, when
 * they do not fit.
 */
static bool prepare_zone(struct verdict *v)
{
    const struct osw_trial *trial = v->job->trial;
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t need;

    if (!describe_outputs(v))
        return end_as(v, OSW_STATE_SKIPPED, OSW_PHASE_FILL, "no memory");
    v->sandbox->zone = place_of(v)->zone;
    need = lay_out(v, INT64_MAX) ? v->spill : OSW_NO_OFFSET;
    if (v->sandbox->zone == OSW_ZONE_ARENA)
        need += v->workspace;
    if (v->job->fit(v->job->fit_arg, v->sandbox, v->sandbox->zone, need, &err) <
        0)
        return osw_sandbox_alive(v->sandbox)
                   ? end_as(v, OSW_STATE_SKIPPED, OSW_PHASE_FILL,
                            "outputs do not fit the memory of the case "
                            "(--max-bytes): %s",
                            err.text)
                   : end_dead(v, OSW_PHASE_FILL);
    v->base = osw_sandbox_zone(v->sandbox, v->sandbox->zone).base;
    v->limit = osw_sandbox_zone(v->sandbox, v->sandbox->zone).bytes;
    place_aliases(v);
    place_of(v)->ops->copy(place_of(v)->device, v->base, trial->image,
                           trial->inputs_bytes);
    if (v->job->time)
        osw_trial_place_restores(trial, v->base, v->outputs_end, v->limit,
                                 v->restores, &v->n_restores);
    osw_sandbox_used(v->sandbox, v->spill);
    return true;
}

static void write_case(struct verdict *v, unsigned char pattern,
                       struct osw_writer *w)
{
    const struct osw_trial *trial = v->job->trial;
    struct osw_case_request request = {
        .mode = OSW_MODE_RUN,
        .zone = v->sandbox->zone,
        .shift =
            v->sandbox->env->device->ops->own_memory ? v->sandbox->shift : 0,
        .pattern = pattern,
        .seed = trial->seed,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = trial->offsets,
        .n_expected = v->job->oracle->n_outputs,
        .expected = v->outputs,
        .spill = v->spill,
        .n_restores = v->n_restores,
        .restores = v->restores,
    };

    v->sandbox->case_id = v->job->case_id;
    if (!v->sandbox->first_case)
        v->sandbox->first_case = v->job->case_id;
    v->sandbox->mixed |= v->sandbox->first_case != v->job->case_id;
    osw_protocol_put_case(w, &request);
}

static bool read_result(struct verdict *v)
{
    if (osw_sandbox_result(v->sandbox, v->job->deadline_ns) < 0)
        return end_dead(v, OSW_PHASE_RUN);
    v->result = &v->sandbox->result;
    osw_sandbox_used(v->sandbox, v->result->high_water);
    return true;
}

static bool call(struct verdict *v, bool first, unsigned char pattern)
{
    int64_t t0 = osw_clock_ns(), t1;
    struct osw_writer w =
        osw_writer(v->sandbox->message, sizeof(v->sandbox->message));
    struct osw_error err = OSW_ERROR_INIT;
    bool ok;

    if (!first)
        restore_inputs(v);
    poison_outputs(v, pattern);
    if (first) {
        write_case(v, pattern, &w);
    } else {
        osw_write_u8(&w, OSW_TALK_CALL);
        osw_write_u8(&w, pattern);
    }
    ok = place_of(v)->ops->sync(place_of(v)->device, &err) == 0;
    t1 = osw_clock_ns();
    v->record->fill_ns += t1 - t0;
    if (!ok)
        return end_as(v, OSW_STATE_DEVICE, OSW_PHASE_FILL, "%s", err.text);
    if (w.overrun)
        return end_as(v, OSW_STATE_SKIPPED, OSW_PHASE_RUN,
                      "the case has too many arguments");
    ok = osw_sandbox_send(v->sandbox, &w) == 0 ? read_result(v)
                                               : end_dead(v, OSW_PHASE_RUN);
    v->record->run_ns += osw_clock_ns() - t1;
    return ok;
}

/* --- what came back --- */

/* Errors of the device; a process whose device is lost is of no more use. */
static bool end_device(struct verdict *v, enum osw_phase phase)
{
    const struct osw_result *r = v->result;
    enum osw_state state =
        r->device_code == DEVICE_NO_MEMORY ? OSW_STATE_OOM : OSW_STATE_CUDA;

    v->record->exit_code = r->device_code;
    end_as(v, state, phase, "%s", r->text);
    if (r->lost)
        osw_sandbox_end_as(v->sandbox, state, v->record->reason);
    return false;
}

static bool check_code(struct verdict *v)
{
    const struct osw_result *r = v->result;
    enum osw_phase phase = r->late ? OSW_PHASE_PREPARE : OSW_PHASE_RUN;

    if (r->device_code != 0 && (r->code != OSW_UNSUPPORTED || r->lost))
        return end_device(v, phase);
    if (r->code == 0)
        return true;
    v->record->exit_code = r->code;
    if (r->code == OSW_UNSUPPORTED)
        return end_as(v, OSW_STATE_UNSUPPORTED, phase, "%s", r->text);
    if (r->no_memory)
        return end_as(v, OSW_STATE_OOM, phase,
                      "asked for more memory than the case was given");
    return end_as(v, OSW_STATE_RETURNED, phase, "returned %d%s%s", r->code,
                  r->text[0] ? ": " : "", r->text);
}

static void print_shape(char *out, size_t size, const struct osw_output *o)
{
    size_t used = (size_t)snprintf(out, size, "[");

    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->shape[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

/* May output i not be a view of an argument?  A reference that makes its
 * outputs itself shows it; else the schema says it.  Without one, native code
 * has what a native reference has to say so.
 */
static bool must_be_new(const struct verdict *v, const struct osw_output *want,
                        const struct osw_output *got, uint32_t i)
{
    const struct osw_schema *schema = v->job->op->schema;

    if (want->alias >= 0 || want->shares != OSW_SHARES_UNKNOWN)
        return want->alias < 0 && want->shares == OSW_SHARES_NOTHING;
    if (!schema || !schema->has_signature || schema->n_returns == 0)
        return got->alias >= 0;
    i = i < schema->n_returns ? i : schema->n_returns - 1;
    return !schema->returns[i].type.alias;
}

static const char *name_of_shared(const struct verdict *v,
                                  const struct osw_output *got)
{
    uint32_t arg = got->shares - OSW_SHARES_ARGUMENT;

    return arg < v->job->trial->n_args ? v->job->trial->args[arg].name : "?";
}

static bool overlaps(const struct osw_output *o)
{
    return osw_tensor_may_overlap(o->ndim, o->shape, o->strides);
}

static bool check_output(struct verdict *v, uint32_t i)
{
    const struct osw_output *want = &v->outputs[i];
    const struct osw_output *got = &v->result->outputs[i];
    char a[256], b[256];

    if (OSW_CHECKS(DTYPE) && got->dtype != want->dtype)
        return end_as(v, OSW_STATE_DTYPE, OSW_PHASE_VERIFY,
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
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "output %u has shape %s, expected %s", i, a, b);
    }
    if (want->alias >= 0 && got->alias != want->alias)
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "output %u must be argument '%s' itself", i,
                      v->job->trial->args[want->alias].name);
    if (got->shares >= OSW_SHARES_ARGUMENT && must_be_new(v, want, got, i))
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "output %u lies in the memory of argument '%s', expected "
                      "memory of its own",
                      i, name_of_shared(v, got));
    if (got->alias < 0 && got->offset != want->offset && got->offset < v->spill)
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "output %u lies where no output was given", i);
    if (overlaps(got) && !overlaps(want))
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "elements of output %u share memory: an element was "
                      "asked for with the strides of another",
                      i);
    return true;
}

static bool check_outputs(struct verdict *v)
{
    uint32_t n = v->job->oracle->n_outputs;

    for (uint32_t i = 0; i < n && i < v->result->n_outputs; i++)
        if (!check_output(v, i))
            return false;
    if (v->result->n_outputs < n ||
        (v->result->n_outputs > n && OSW_CHECKS(SHAPE)))
        return end_as(v, OSW_STATE_SHAPE, OSW_PHASE_VERIFY,
                      "%u outputs, expected %u", v->result->n_outputs, n);
    return true;
}

/* Everything of [from, to) still poison? */
static bool guard_holds(struct verdict *v, uint64_t from, uint64_t to,
                        unsigned char pattern, uint64_t *where)
{
    int64_t at = place_of(v)->ops->check(place_of(v)->device, v->base + from,
                                         to - from, pattern);

    if (at < 0 || !OSW_CHECKS(GUARD))
        return true;
    *where = from + (uint64_t)at;
    return false;
}

static struct osw_view view_of(struct verdict *v, uint32_t i,
                               struct osw_tensor_desc *desc)
{
    const struct osw_output *o = &v->result->outputs[i];

    *desc = (struct osw_tensor_desc){.dtype = o->dtype,
                                     .ndim = o->ndim,
                                     .strided = true,
                                     .shape = o->shape,
                                     .strides = o->strides};
    return (struct osw_view){.data = v->base + o->offset, .desc = desc};
}

/* Gaps that the output itself asked for by its strides. */
static bool gaps_hold(struct verdict *v, uint32_t i, unsigned char pattern)
{
    struct osw_tensor_desc desc;
    struct osw_view view = view_of(v, i, &desc);

    return !OSW_CHECKS(GUARD) ||
           !osw_tensor_has_gaps(desc.ndim, desc.shape, desc.strides) ||
           place_of(v)->ops->check_gaps(place_of(v)->device, &view, pattern) <
               0;
}

static bool check_guards(struct verdict *v, unsigned char pattern)
{
    uint64_t from = v->job->trial->inputs_bytes, where;
    uint32_t n = v->job->oracle->n_outputs;

    for (uint32_t i = 0; i <= n; i++) {
        const struct osw_output *o = i < n ? &v->outputs[i] : NULL;

        if (o && o->alias >= 0)
            continue;
        if (!guard_holds(v, from, o ? o->offset : v->outputs_end, pattern,
                         &where))
            return end_as(
                v, OSW_STATE_GUARD, OSW_PHASE_VERIFY,
                "wrote outside of its outputs, at byte %llu %s",
                (unsigned long long)(o ? o->offset - where : where - from),
                o ? "before the next one" : "behind the last one");
        if (o && !gaps_hold(v, i, pattern))
            return end_as(v, OSW_STATE_GUARD, OSW_PHASE_VERIFY,
                          "wrote between the elements of output %u", i);
        if (o)
            from = o->offset + (uint64_t)osw_output_extent(o);
    }
    from = v->result->guard;
    if (from != OSW_NO_OFFSET &&
        !guard_holds(v, from, from + OSW_GUARD_BYTES, pattern, &where))
        return end_as(v, OSW_STATE_GUARD, OSW_PHASE_VERIFY,
                      "wrote behind its workspace, at byte %llu",
                      (unsigned long long)(where - from));
    return true;
}

static bool check_trespass(struct verdict *v)
{
    struct osw_trespass t;

    osw_trial_compare(v->job->trial, v->base, &t);
    if (!t.any || !(t.input ? OSW_CHECKS(MUTATED) : OSW_CHECKS(GUARD)))
        return true;
    return end_as(v, t.input ? OSW_STATE_MUTATED : OSW_STATE_GUARD,
                  OSW_PHASE_VERIFY, "%s", t.text);
}

/* The same rule as the sandbox's: outputs in order, extents as they are. */
static void hash_outputs(struct verdict *v)
{
    v->hash = 0;
    for (uint32_t i = 0; i < v->result->n_outputs; i++) {
        const struct osw_output *o = &v->result->outputs[i];

        v->hash +=
            place_of(v)->ops->hash(place_of(v)->device, v->base + o->offset,
                                   (uint64_t)osw_output_extent(o), i);
    }
}

/* --- values --- */

static double nan_max(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* Errors against norms: the worst output counts, against its own limit.
 * Excused: rounding explains them.
 */
static void keep_norm_errors(struct verdict *v, const struct osw_errors *e,
                             const struct osw_tolerance_job *tolerance,
                             bool excused)
{
    struct osw_record *r = v->record;
    double rms = osw_tolerance_rms(e), limit;

    if (e->n_norm == 0)
        return;
    limit = osw_tolerance_class(tolerance, e);
    if (limit > 0 &&
        (isnan(r->tol_norm) || rms * r->tol_norm > r->rms_norm_err * limit)) {
        r->rms_norm_err = rms;
        r->tol_norm = limit;
    } else if (isnan(r->rms_norm_err)) {
        r->rms_norm_err = rms;
    }
    r->max_norm_err = nan_max(r->max_norm_err, e->max_norm);
    v->imprecise = v->imprecise || (limit > 0 && rms > limit && !excused);
}

/* Bad elements that count. */
static int64_t n_bad(const struct osw_oracle_output *o,
                     const struct osw_errors *e)
{
    bool values = o->accept.exact      ? OSW_CHECKS(TO_THE_BIT)
                  : o->tolerance.norms ? OSW_CHECKS(NORM_ELEMENT)
                                       : OSW_CHECKS(VALUE_TOLERANCE);

    return (values ? e->n_bad - e->n_nan : 0) +
           (OSW_CHECKS(NAN) ? e->n_nan : 0);
}

static void keep_errors(struct verdict *v, uint32_t i,
                        const struct osw_errors *e, bool excused)
{
    struct osw_record *r = v->record;
    const struct osw_oracle_output *o = &v->job->oracle->outputs[i];
    const struct osw_accept *accept = &o->accept;

    r->n_elem += e->n_elem;
    r->n_bad += excused ? 0 : n_bad(o, e);
    r->n_nan += e->n_nan;
    r->max_abs_err = nan_max(r->max_abs_err, e->max_abs);
    r->max_rel_err = nan_max(r->max_rel_err, e->max_rel);
    r->max_ulp_err = nan_max(r->max_ulp_err, e->max_ulp);
    r->tol_abs = nan_max(r->tol_abs, accept->exact ? 0 : accept->atol);
    r->tol_rel = nan_max(r->tol_rel, accept->exact ? 0 : accept->rtol);
    if (r->first_bad < 0 && n_bad(o, e) > 0 && !excused) {
        r->first_bad = e->first_bad;
        r->bad_output = (int32_t)i;
    }
    keep_norm_errors(v, e, &o->tolerance, excused);
    v->sum_sq += e->sum_sq;
}

static void forget_errors(struct verdict *v)
{
    struct osw_record *r = v->record;

    r->n_elem = r->n_bad = r->n_nan = 0;
    r->max_abs_err = r->max_rel_err = r->max_ulp_err = NAN;
    r->rms_norm_err = r->max_norm_err = r->tol_norm = NAN;
    r->tol_abs = r->tol_rel = NAN;
    r->first_bad = -1;
    r->bad_output = -1;
    v->imprecise = false;
    v->sum_sq = 0;
    v->appeal[0] = '\0';
}

/* Does the first bad element still hold nothing but the pattern? */
static bool first_bad_is_poison(struct verdict *v, unsigned char pattern)
{
    const struct osw_record *r = v->record;
    struct osw_tensor_desc desc;
    struct osw_element element;
    struct osw_view view;

    if (r->first_bad < 0 || !OSW_CHECKS(UNTOUCHED))
        return false;
    view = view_of(v, (uint32_t)r->bad_output, &desc);
    osw_place_element(place_of(v), &view, r->first_bad, &element);
    return osw_guard_is_poison(&element.view, 0, pattern);
}

/* "got 1.5, expected 1.25", wherever the values lie. */
static void describe_bad(struct verdict *v, char *words, size_t size)
{
    const struct osw_record *r = v->record;
    const struct osw_expected *want =
        &v->job->oracle->outputs[r->bad_output].want;
    struct osw_element got, expected;
    struct osw_tensor_desc desc;
    struct osw_view view = view_of(v, (uint32_t)r->bad_output, &desc);
    struct osw_expected one = {.exact = NULL};
    double exact;

    osw_place_element(place_of(v), &view, r->first_bad, &got);
    if (want->exact) {
        place_of(v)->ops->copy(place_of(v)->device, &exact,
                               want->exact + r->first_bad, sizeof(exact));
        one.exact = &exact;
    } else {
        osw_place_element(place_of(v), &want->view, r->first_bad, &expected);
        one.view = expected.view;
    }
    osw_compare_describe(&got.view, &one, 0, words, size);
}

/* "integers: " in front of what was found on other inputs than its own. */
static const char *prefix_of(const struct verdict *v)
{
    static const char *const texts[OSW_N_TRIALS] = {
        [OSW_TRIAL_REDRAW] = "on other inputs: ",
        [OSW_TRIAL_INTEGERS] = "on small integers: ",
        [OSW_TRIAL_OFFSET] = "on inputs of mean 100: ",
        [OSW_TRIAL_SPECIAL] = "on special values: ",
    };

    return v->job->kind >= 0 ? texts[v->job->kind] : "";
}

/* Errors that lower precision explains: none is as large as the terms
 * themselves.  The integers tell, where the op has them.
 */
static bool may_be_precision(const struct verdict *v)
{
    const struct osw_record *r = v->record;

    return r->n_nan == 0 && r->max_norm_err < COARSEST &&
           v->job->oracle->outputs[r->bad_output].want.norm != NULL;
}

static bool end_bad(struct verdict *v)
{
    const struct osw_record *r = v->record;
    char words[256];

    v->job->known->doubtful = v->job->kind < 0 && may_be_precision(v);
    describe_bad(v, words, sizeof(words));
    return end_as(v, r->n_nan > 0 ? OSW_STATE_NAN : OSW_STATE_VALUE,
                  OSW_PHASE_VERIFY,
                  "%s%lld of %lld elements are wrong, the first is %lld of "
                  "output %d: %s%s%s",
                  prefix_of(v), (long long)r->n_bad, (long long)r->n_elem,
                  (long long)r->first_bad, (int)r->bad_output, words,
                  v->appeal[0] ? "; " : "", v->appeal);
}

static bool end_imprecise(struct verdict *v)
{
    return end_as(v, OSW_STATE_PRECISION, OSW_PHASE_VERIFY,
                  "%srms of error over norm is %.3g, its precision allows "
                  "%.3g%s%s",
                  prefix_of(v), v->record->rms_norm_err, v->record->tol_norm,
                  v->appeal[0] ? "; " : "", v->appeal);
}

/* Would output i be refused, and does rounding explain its errors?  With other
 * calls nothing is decided: who is wrong is judged again.
 */
static bool is_excused(struct verdict *v, uint32_t i,
                       const struct osw_view *got, const struct osw_errors *e)
{
    const struct osw_oracle_output *o = &v->job->oracle->outputs[i];
    double limit = osw_tolerance_class(&o->tolerance, e);
    bool pinned, excused;
    char words[sizeof(v->appeal)];
    struct osw_appeal_job job = {.reference = v->job->appeals,
                                 .trial = v->job->trial,
                                 .oracle = v->job->oracle,
                                 .output = i,
                                 .got = got};

    if (v->together || !job.reference ||
        (n_bad(o, e) == 0 && !(limit > 0 && osw_tolerance_rms(e) > limit)))
        return false;
    pinned = v->sandbox->pinned; /* the reference may ask for memory */
    v->sandbox->pinned = true;
    excused = osw_appeal_accepts(&job, e, words, sizeof(words));
    v->sandbox->pinned = pinned;
    if (!excused || !v->appeal[0])
        memcpy(v->appeal, words, sizeof(words));
    return excused;
}

static bool compare_values(struct verdict *v)
{
    const struct osw_oracle_result *oracle = v->job->oracle;

    forget_errors(v);
    for (uint32_t i = 0; i < oracle->n_outputs; i++) {
        struct osw_tensor_desc desc;
        struct osw_view got = view_of(v, i, &desc);
        struct osw_errors e;

        place_of(v)->ops->compare(place_of(v)->device, &got,
                                  &oracle->outputs[i].want,
                                  &oracle->outputs[i].accept, &e);
        keep_errors(v, i, &e, is_excused(v, i, &got, &e));
    }
    return v->record->n_bad == 0 && !v->imprecise;
}

static bool compare_product(struct verdict *v)
{
    struct osw_product_answer answer;
    struct osw_tensor_desc desc;
    struct osw_view got = view_of(v, 0, &desc);

    forget_errors(v);
    osw_product_check(v->job->op, v->job->trial, &got, &answer);
    v->record->n_elem = answer.n_elem;
    if (answer.applies && (answer.right || !OSW_CHECKS(FREIVALDS))) {
        v->record->n_bad = 0;
        v->record->tol_abs = v->record->tol_rel = 0;
        return true;
    }
    if (!answer.applies)
        return end_as(v, OSW_STATE_UNVERIFIED, OSW_PHASE_VERIFY, "%s",
                      answer.text);
    v->record->n_bad = 1; /* at least */
    v->record->n_nan = answer.nan;
    v->record->first_bad = answer.first_bad;
    v->record->bad_output = 0;
    return end_as(v, answer.nan ? OSW_STATE_NAN : OSW_STATE_VALUE,
                  OSW_PHASE_VERIFY, "%s", answer.text);
}

static bool compare(struct verdict *v)
{
    if (!v->job->oracle->have_values && v->job->check != OSW_CHECK_FREIVALDS)
        return true; /* nothing to compare with: ends unverified */
    return v->job->check == OSW_CHECK_FREIVALDS ? compare_product(v)
                                                : compare_values(v);
}

/* What the window shows is a copy: have it made again. */
static bool ask_to_look(struct verdict *v)
{
    struct osw_writer w =
        osw_writer(v->sandbox->message, sizeof(v->sandbox->message));

    if (!v->sandbox->env->device->ops->own_memory)
        return true;
    osw_write_u8(&w, OSW_TALK_LOOK);
    return osw_sandbox_send(v->sandbox, &w) == 0 && read_result(v);
}

/* Wrong values may be unfinished ones: leave whoever still writes a moment,
 * and look whether they changed.
 */
static bool still_changes(struct verdict *v)
{
    uint64_t before = v->hash;

    if (!OSW_CHECKS(SECOND_LOOK))
        return false;
    osw_clock_sleep_ns(SECOND_LOOK_NS);
    if (v->sandbox->zone == OSW_ZONE_WINDOW && !ask_to_look(v))
        return false;
    hash_outputs(v);
    return v->hash != before;
}

/* What a look at the outputs of a call found. */
struct look {
    bool judged;  /* shapes, guards and inputs are in order */
    bool changed; /* outputs changed after it had returned */
    bool right;
};

/* Look at everything that the call left.  The comparison is left out when the
 * outputs are, to the bit, those that were compared before.
 */
static struct look look(struct verdict *v, unsigned char pattern)
{
    struct look l = {.right = true};
    uint64_t before = v->hash;
    bool was_suspect = v->suspect;
    int64_t t0 = osw_clock_ns();

    l.judged =
        check_outputs(v) && check_guards(v, pattern) && check_trespass(v);
    if (l.judged) {
        v->behind = v->result->hash;
        hash_outputs(v);
        l.changed = OSW_CHECKS(ASYNC_HASH) && v->behind != v->hash;
        v->differs = before != 0 && v->hash != before;
        if (before == 0 || was_suspect || v->differs)
            l.right = compare(v);
        if (!l.right) {
            v->suspect = first_bad_is_poison(v, pattern);
            l.changed = l.changed || (!v->together && still_changes(v));
        }
    }
    v->record->verify_ns += osw_clock_ns() - t0;
    return l;
}

static bool end_wrong(struct verdict *v)
{
    if (v->record->status_id)
        return false;
    if (v->record->n_bad == 0 && v->imprecise)
        return end_imprecise(v);
    return end_bad(v);
}

static bool end_unwritten(struct verdict *v)
{
    return end_as(v, OSW_STATE_UNWRITTEN, OSW_PHASE_VERIFY,
                  "%sleft element %lld of output %d unwritten", prefix_of(v),
                  (long long)v->record->first_bad, (int)v->record->bad_output);
}

static bool end_async(struct verdict *v)
{
    return end_as(v, OSW_STATE_ASYNC, OSW_PHASE_VERIFY,
                  "%soutputs changed after it had returned: hash %016llx right "
                  "behind it, then %016llx",
                  prefix_of(v), (unsigned long long)v->behind,
                  (unsigned long long)v->hash);
}

/* One pass: run, then look. */
static bool pass(struct verdict *v, bool first, unsigned char pattern)
{
    struct look l;

    if (!call(v, first, pattern) || !check_code(v))
        return false;
    l = look(v, pattern);
    if (!l.judged)
        return false;
    if (l.changed)
        return end_async(v);
    if (l.right)
        return true;
    if (v->suspect)
        return first ? true /* pass B tells unwritten from wrong */
                     : end_unwritten(v);
    return end_wrong(v);
}

/* Wrong on new inputs, as it was right on those before: what is left of them?
 */
static bool end_stale(struct verdict *v, const char *when)
{
    const char *what = v->suspect ? "left its outputs unwritten"
                                  : "gave the result of earlier inputs";

    return end_as(v, OSW_STATE_STALE, OSW_PHASE_VERIFY, "%s%s", when, what);
}

/* Errors against those of the baseline, where op.json bounds them. */
static bool is_worse_than_baseline(struct verdict *v)
{
    double n = (double)v->record->n_elem;

    v->job->known->rms = n > 0 ? sqrt(v->sum_sq / n) : 0;
    return OSW_CHECKS(RATIO) && v->job->op->ratio > 0 &&
           v->job->baseline_rms > 0 &&
           v->job->known->rms > v->job->op->ratio * v->job->baseline_rms;
}

/* Any output that is no argument written in place? */
static bool has_new_outputs(const struct verdict *v)
{
    for (uint32_t i = 0; i < v->job->oracle->n_outputs; i++)
        if (v->job->oracle->outputs[i].as_run.alias < 0)
            return true;
    return false;
}

/* With what there is to say beside it. */
static void end_pass(struct verdict *v, const char *const notes[4])
{
    char text[1024] = "";
    size_t used = 0;

    for (int i = 0; i < 4; i++)
        if (*notes[i] && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     used ? "; " : "", notes[i]);
    end_as(v, OSW_STATE_PASS, OSW_PHASE_NONE, "%s", text);
}

static bool end_right(struct verdict *v)
{
    bool own = v->sandbox->traits.own_outputs;

    v->record->check_id = (uint8_t)v->job->check;
    v->record->repeats = v->differs ? 2 : 1;
    v->job->known->hash = v->hash;
    if (OSW_CHECKS(NONDETERMINISTIC) && v->differs && v->job->op->deterministic)
        return end_as(v, OSW_STATE_NONDETERMINISTIC, OSW_PHASE_VERIFY,
                      "two runs on the same inputs gave different bits");
    if (is_worse_than_baseline(v))
        return end_as(v, OSW_STATE_PRECISION, OSW_PHASE_VERIFY,
                      "rms error %.3g is more than %g x the baseline's %.3g",
                      v->job->known->rms, v->job->op->ratio,
                      v->job->baseline_rms);
    if (v->job->op->oracle != OSW_ORACLE_INDEPENDENT) {
        v->record->check_id = OSW_CHECK_NONE;
        end_as(v, OSW_STATE_UNVERIFIED, OSW_PHASE_VERIFY,
               "no independent reference: the oracle is %s",
               osw_oracle_name(v->job->op->oracle));
        return true;
    }
    if (v->job->weak) {
        end_as(v, OSW_STATE_WEAK, OSW_PHASE_VERIFY, "%s would pass too",
               v->job->weak);
        return true;
    }
    end_pass(
        v, (const char *const[4]){
               own && has_new_outputs(v) ? "outputs are the code's own: guards "
                                           "and unwritten n/a"
                                         : "",
               own ? v->result->text : "", v->job->oracle->note, v->appeal});
    return true;
}

/* Both passes; again with more memory while an arena can grow. */
static bool both_passes(struct verdict *v)
{
    for (;;) {
        int64_t t0 = osw_clock_ns();
        bool fits = prepare_zone(v);

        v->record->fill_ns += osw_clock_ns() - t0;
        if (!fits)
            return false;
        if (pass(v, true, OSW_PASS_A_BYTE))
            return pass(v, false, OSW_PASS_B_BYTE);
        if (v->record->status_id != OSW_STATE_OOM ||
            !osw_sandbox_alive(v->sandbox) || !v->result->no_memory ||
            v->sandbox->zone != OSW_ZONE_ARENA ||
            v->workspace >= place_of(v)->limit)
            return false;
        v->workspace *= 8;
        v->record->status_id = 0;
        v->record->reason = "";
    }
}

/* What it says of its own bytes and operations counts where neither the
 * reference nor op.json knows them: rates and the speed of light rest on them.
 */
static void keep_work(const struct osw_result *result,
                      struct osw_record *record)
{
    if (isnan(record->bytes))
        record->bytes = result->bytes;
    if (isnan(record->flops))
        record->flops = result->flops;
}

bool osw_verdict_reach(const struct osw_verdict_job *job,
                       struct osw_sandbox *sandbox, struct osw_record *record)
{
    struct verdict v = {.job = job,
                        .sandbox = sandbox,
                        .record = record,
                        .workspace = WORKSPACE_BYTES};

    record->check_id = (uint8_t)job->check;
    if (!both_passes(&v))
        return false;
    keep_work(v.result, record);
    return end_right(&v);
}

/* It passed on its own inputs, where something trivial would, too; and on
 * these. What is no number tells nothing of numbers.
 */
static void strengthen(const struct osw_verdict_job *job, struct osw_record *r)
{
    if (r->status_id != OSW_STATE_WEAK || job->weak ||
        job->kind == OSW_TRIAL_SPECIAL)
        return;
    r->status_id = OSW_STATE_PASS;
    r->phase_id = OSW_PHASE_NONE;
    r->reason = osw_arena_printf(
        job->memory, "on its own inputs %s, on others not", r->reason);
}

/* It passed by what rounding explains: that stands beside the verdict. */
static void say_excused(struct verdict *v)
{
    struct osw_record *r = v->record;
    const char *said = r->reason ? r->reason : "";

    if (v->appeal[0])
        r->reason =
            osw_arena_printf(v->job->memory, "%s%s%s%s", said,
                             *said ? "; " : "", prefix_of(v), v->appeal);
}

/* The errors on other inputs are not those of the record, unless they decide.
 */
static bool end_trial(struct verdict *v, struct osw_record *tried)
{
    struct osw_record *r = v->record;

    if (tried->status_id == OSW_STATE_NONE) {
        r->fill_ns = tried->fill_ns;
        r->run_ns = tried->run_ns;
        r->verify_ns = tried->verify_ns;
        strengthen(v->job, r);
        say_excused(v);
        return true;
    }
    *r = *tried;
    return false;
}

/* Is the result that of the inputs before? */
static bool is_old(const struct verdict *v)
{
    return v->job->known->hash != 0 && v->hash == v->job->known->hash;
}

bool osw_verdict_try(const struct osw_verdict_job *job,
                     struct osw_sandbox *sandbox, struct osw_record *record)
{
    struct osw_record tried = *record;
    struct verdict v = {.job = job,
                        .sandbox = sandbox,
                        .record = &tried,
                        .workspace = WORKSPACE_BYTES};
    bool again = sandbox->case_id == job->case_id;
    struct look l;

    tried.status_id = OSW_STATE_NONE;
    if (prepare_zone(&v) && call(&v, !again, OSW_PASS_A_BYTE) &&
        check_code(&v)) {
        l = look(&v, OSW_PASS_A_BYTE);
        if (l.judged && l.changed)
            end_async(&v);
        else if (l.judged && !l.right && is_old(&v))
            end_stale(&v, "called again on other inputs: ");
        else if (l.judged && !l.right && v.suspect)
            end_unwritten(&v);
        else if (l.judged && !l.right)
            end_wrong(&v);
        job->known->hash = v.hash;
    }
    v.record = record;
    return end_trial(&v, &tried);
}

/* --- behind timing --- */

/* Timed calls on inputs that the judge wrote; `fastest`, where it is asked for,
 * in ns.
 */
static bool time_calls(struct verdict *v, uint32_t n_samples, uint32_t n_inner,
                       double *fastest)
{
    struct osw_writer w =
        osw_writer(v->sandbox->message, sizeof(v->sandbox->message));
    struct osw_time_request request = {.n_samples = n_samples,
                                       .n_inner = n_inner ? n_inner : 1,
                                       .cold = v->record->cold,
                                       .refresh = true};
    static struct osw_time_reply reply; /* large; one judge per process */
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    osw_protocol_put_time(&w, &request);
    if (osw_sandbox_send(v->sandbox, &w) < 0 ||
        osw_sandbox_receive(v->sandbox, OSW_TALK_SAMPLES, v->job->deadline_ns,
                            &r) < 0)
        return end_dead(v, OSW_PHASE_TIME);
    if (osw_protocol_get_samples(&r, &reply, &err) < 0) {
        osw_sandbox_fail_protocol(v->sandbox, err.text);
        return end_dead(v, OSW_PHASE_TIME);
    }
    if (reply.code != 0)
        return end_as(v, OSW_STATE_RETURNED, OSW_PHASE_TIME, "%s", reply.text);
    for (uint32_t i = 0; fastest && i < reply.n; i++)
        *fastest = fmin(*fastest, (double)reply.samples[i]);
    return true;
}

/* What they left, as the judge sees it. */
static bool time_again(struct verdict *v, uint32_t n_samples)
{
    struct osw_writer w;

    if (!time_calls(v, n_samples, v->record->n_inner, NULL))
        return false;
    w = osw_writer(v->sandbox->message, sizeof(v->sandbox->message));
    osw_write_u8(&w, OSW_TALK_LOOK);
    return osw_sandbox_send(v->sandbox, &w) == 0 ? read_result(v)
                                                 : end_dead(v, OSW_PHASE_TIME);
}

static bool settle(struct verdict *v)
{
    struct osw_error err = OSW_ERROR_INIT;

    return place_of(v)->ops->sync(place_of(v)->device, &err) == 0 ||
           end_as(v, OSW_STATE_DEVICE, OSW_PHASE_TIME, "%s", err.text);
}

/* Outputs poisoned, then timed calls. */
static bool time_poisoned(struct verdict *v, uint32_t n_samples)
{
    poison_outputs(v, OSW_PASS_B_BYTE);
    return settle(v) && time_again(v, n_samples);
}

/* What timed calls left. */
static void judge_timed(struct verdict *v, const char *when)
{
    struct look l = look(v, OSW_PASS_B_BYTE);

    if (l.judged && l.changed)
        end_async(v);
    else if (l.judged && !l.right && (v->suspect || is_old(v)))
        end_stale(v, when);
    else if (l.judged && !l.right)
        end_wrong(v);
    v->job->known->hash = v->hash;
}

bool osw_verdict_recheck(const struct osw_verdict_job *job,
                         struct osw_sandbox *sandbox, uint32_t n_samples,
                         struct osw_record *record)
{
    struct osw_record tried = *record;
    struct verdict v = {.job = job,
                        .sandbox = sandbox,
                        .record = &tried,
                        .workspace = WORKSPACE_BYTES};

    tried.status_id = OSW_STATE_NONE;
    /* The second time for what works only so often: outputs that it made right
     * at first would stand for calls that made none.
     */
    if (prepare_zone(&v) && time_poisoned(&v, n_samples) &&
        time_poisoned(&v, 1 + n_samples % 4) && check_code(&v))
        judge_timed(&v, "in timed calls: ");
    v.record = record;
    return end_trial(&v, &tried);
}

/* One call on the job's inputs, altered as `random` says; outputs are left as
 * they are.
 */
static bool time_altered(struct verdict *v, uint64_t random, double *ns)
{
    const struct osw_trial *trial = v->job->trial;

    place_of(v)->ops->copy(place_of(v)->device, v->base, trial->image,
                           trial->inputs_bytes);
    osw_trial_alter(trial, v->base, &random);
    *ns = INFINITY;
    return settle(v) && time_calls(v, 1, 1, ns);
}

/* Calls on inputs that it never had, and once more on the same, by turns: what
 * is much faster then is no work.  Memory is equally cold both times, and what
 * else runs on the machine makes the least time longer, not shorter.
 */
static bool check_novelty(struct verdict *v, uint64_t *random)
{
    double fresh = INFINITY, again = INFINITY;

    if (!OSW_CHECKS(NOVELTY) || v->n_restores > 0 ||
        v->sandbox->env->device->ops->own_memory ||
        v->job->trial->inputs_bytes > NOVEL_BYTES)
        return true;
    for (int i = 0; i < NOVEL_CALLS; i++) {
        uint64_t which = osw_random_next(random);
        double first, second;

        if (!time_altered(v, which, &first) || !time_altered(v, which, &second))
            return false;
        fresh = fmin(fresh, first);
        again = fmin(again, second);
        if (i > 0 && fresh <= NOVEL_TIMES * again + NOVEL_NS)
            return true;
    }
    return end_as(v, OSW_STATE_IMPLAUSIBLE, OSW_PHASE_TIME,
                  "a call on new inputs takes %.1f us at least, the next one "
                  "on the same %.1f us",
                  fresh * 1e-3, again * 1e-3);
}

bool osw_verdict_altered(const struct osw_verdict_job *job,
                         struct osw_sandbox *sandbox, uint32_t n_samples,
                         uint64_t *random, struct osw_record *record)
{
    struct osw_record tried = *record;
    struct verdict v = {.job = job,
                        .sandbox = sandbox,
                        .record = &tried,
                        .workspace = WORKSPACE_BYTES};

    tried.status_id = OSW_STATE_NONE;
    if (prepare_zone(&v) && settle(&v) && time_again(&v, n_samples) &&
        check_code(&v))
        judge_timed(&v, "in timed calls, on inputs that changed in part: ");
    if (tried.status_id == OSW_STATE_NONE)
        (void)check_novelty(&v, random);
    v.record = record;
    return end_trial(&v, &tried);
}

bool osw_verdict_arm(const struct osw_verdict_job *job,
                     struct osw_sandbox *sandbox, struct osw_record *record)
{
    struct verdict v = {.job = job,
                        .sandbox = sandbox,
                        .record = record,
                        .workspace = WORKSPACE_BYTES};

    return prepare_zone(&v) && call(&v, true, OSW_PASS_A_BYTE) &&
           check_code(&v);
}

/* --- calls that were made together --- */

bool osw_verdict_lay_out(const struct osw_verdict_job *job,
                         struct osw_verdict_layout *out)
{
    struct verdict v = {.job = job};

    if (!describe_outputs(&v) || !lay_out(&v, INT64_MAX))
        return false;
    place_aliases(&v);
    *out = (struct osw_verdict_layout){.outputs = v.outputs,
                                       .restores = v.restores,
                                       .n_restores = v.n_restores,
                                       .outputs_end = v.outputs_end,
                                       .spill = v.spill};
    return true;
}

static struct verdict resume(const struct osw_verdict_job *job,
                             const struct osw_verdict_layout *layout,
                             unsigned char *base)
{
    return (struct verdict){.job = job,
                            .base = base,
                            .together = true,
                            .outputs = layout->outputs,
                            .restores = layout->restores,
                            .n_restores = layout->n_restores,
                            .outputs_end = layout->outputs_end,
                            .spill = layout->spill};
}

void osw_verdict_load(const struct osw_verdict_job *job,
                      const struct osw_verdict_layout *layout,
                      unsigned char *base, unsigned char pattern)
{
    struct verdict v = resume(job, layout, base);

    place_of(&v)->ops->copy(place_of(&v)->device, base, job->trial->image,
                            job->trial->inputs_bytes);
    poison_outputs(&v, pattern);
}

void osw_verdict_put(const struct osw_verdict_job *job,
                     const struct osw_verdict_layout *layout,
                     struct osw_sandbox *sandbox, unsigned char pattern,
                     struct osw_writer *w)
{
    struct verdict v = resume(job, layout, NULL);

    v.sandbox = sandbox;
    write_case(&v, pattern, w);
}

/* Nothing about the call is out of order? */
static bool is_clean(struct verdict *v, unsigned char pattern)
{
    struct look l;

    if (v->result->code != 0 || v->result->device_code != 0)
        return false;
    l = look(v, pattern);
    return l.judged && l.right && !l.changed;
}

bool osw_verdict_see(const struct osw_verdict_call *calls, uint32_t n,
                     struct osw_sandbox *sandbox, struct osw_record *record)
{
    struct osw_record tried;
    uint64_t hash = 0;

    record->check_id = (uint8_t)calls[0].job->check;
    for (uint32_t i = 0; i < n; i++) {
        const struct osw_verdict_call *c = &calls[i];
        struct verdict v = resume(c->job, c->layout, c->base);

        v.sandbox = sandbox;
        v.record = i < 2 ? record : &tried;
        v.hash = i == 1 ? hash : 0;
        v.result = c->result;
        if (i == 0 && v.result->code == OSW_UNSUPPORTED && !v.result->lost) {
            check_code(&v);
            return true;
        }
        tried = *record;
        if (!is_clean(&v, c->pattern))
            return false;
        hash = v.hash;
        if (i == 1)
            keep_work(v.result, record);
        if (i == 1 && (v.differs || !end_right(&v)))
            return false; /* who is not deterministic is judged alone */
        if (i == 1 && record->status_id == OSW_STATE_UNVERIFIED)
            return true;
        if (i > 1) {
            record->trials |= UINT32_C(1) << c->job->kind;
            strengthen(c->job, record);
        }
    }
    return true;
}
