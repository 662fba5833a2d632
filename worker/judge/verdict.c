/* worker/judge/verdict.c - one implementation against the expected outputs */
#include "worker/judge/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/guard.h"
#include "worker/judge/layout.h"
#include "worker/judge/product.h"

#define SECOND_LOOK_NS INT64_C(2000000)

enum {
    WORKSPACE_BYTES = 64 << 20, /* of an arena, before one asks for more */
    DEVICE_NO_MEMORY = 2,       /* cudaErrorMemoryAllocation */
};

struct verdict {
    const struct osw_verdict_job *job;
    struct osw_box *box;
    struct osw_record *record;
    unsigned char *base;        /* of its zone in the box */
    uint64_t limit;             /* bytes of it */
    uint64_t workspace;         /* wanted behind the outputs, in an arena */
    struct osw_output *outputs; /* [oracle->n_outputs] as laid out for it */
    struct osw_restore *restores;
    uint32_t n_restores;
    uint64_t outputs_end, spill;
    const struct osw_result *result; /* of the last call */
    uint64_t hash;                   /* of its outputs, by the judge */
    bool suspect; /* pass A: first_bad still held the poison */
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
    v->record->signal = v->box->end.signal;
    v->record->exit_code = v->box->end.exit_code;
    return end_as(v, v->box->end.state, phase, "%s", v->box->end.text);
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

/* Lay out outputs and the copies for restoring; false, with the verdict, when
 * they do not fit.
 */
static bool prepare_zone(struct verdict *v)
{
    const struct osw_oracle_result *oracle = v->job->oracle;
    const struct osw_trial *trial = v->job->trial;
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t need;

    v->outputs =
        osw_arena_array(v->job->memory, oracle->n_outputs, sizeof(*v->outputs));
    v->restores =
        osw_arena_array(v->job->memory, trial->n_tensors, sizeof(*v->restores));
    if (!v->outputs || !v->restores)
        return end_as(v, OSW_STATE_SKIPPED, OSW_PHASE_FILL, "no memory");
    for (uint32_t i = 0; i < oracle->n_outputs; i++) {
        v->outputs[i] = oracle->outputs[i].as_run;
        v->outputs[i].exact = v->outputs[i].norm = OSW_NO_OFFSET;
    }
    v->box->zone = place_of(v)->zone;
    need = lay_out(v, INT64_MAX) ? v->spill : OSW_NO_OFFSET;
    if (v->box->zone == OSW_ZONE_ARENA)
        need += v->workspace;
    if (v->job->fit(v->job->fit_arg, v->box, v->box->zone, need, &err) < 0)
        return osw_box_alive(v->box)
                   ? end_as(v, OSW_STATE_SKIPPED, OSW_PHASE_FILL,
                            "outputs do not fit the memory of the case "
                            "(--max-bytes): %s",
                            err.text)
                   : end_dead(v, OSW_PHASE_FILL);
    v->base = osw_box_zone(v->box, v->box->zone).base;
    v->limit = osw_box_zone(v->box, v->box->zone).bytes;
    place_aliases(v);
    place_of(v)->ops->copy(place_of(v)->device, v->base, trial->image,
                           trial->inputs_bytes);
    if (v->job->time)
        osw_trial_place_restores(trial, v->base, v->outputs_end, v->limit,
                                 v->restores, &v->n_restores);
    if (v->box->high_water < v->spill)
        v->box->high_water = v->spill;
    return true;
}

static void write_case(struct verdict *v, unsigned char pattern,
                       struct osw_writer *w)
{
    const struct osw_trial *trial = v->job->trial;
    struct osw_case_request request = {
        .mode = OSW_MODE_RUN,
        .zone = v->box->zone,
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

    osw_protocol_put_case(w, &request);
}

static bool read_result(struct verdict *v)
{
    if (osw_box_result(v->box, v->job->deadline_ns) < 0)
        return end_dead(v, OSW_PHASE_RUN);
    v->result = &v->box->result;
    if (v->box->high_water < v->result->high_water)
        v->box->high_water = v->result->high_water;
    return true;
}

static bool call(struct verdict *v, bool first, unsigned char pattern)
{
    int64_t t0 = osw_clock_ns(), t1;
    struct osw_writer w = osw_writer(v->box->message, sizeof(v->box->message));
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
    ok = osw_box_send(v->box, &w) == 0 ? read_result(v)
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
        osw_box_retire(v->box, state, v->record->reason);
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

static bool check_output(struct verdict *v, uint32_t i)
{
    const struct osw_output *want = &v->outputs[i];
    const struct osw_output *got = &v->result->outputs[i];
    char a[256], b[256];

    if (got->dtype != want->dtype)
        return end_as(v, OSW_STATE_DTYPE, OSW_PHASE_VERIFY,
                      "output %u is %s, expected %s", i,
                      osw_dtype_info((int)got->dtype)->name,
                      osw_dtype_info((int)want->dtype)->name);
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
    return true;
}

static bool check_outputs(struct verdict *v)
{
    uint32_t n = v->job->oracle->n_outputs;

    for (uint32_t i = 0; i < n && i < v->result->n_outputs; i++)
        if (!check_output(v, i))
            return false;
    if (v->result->n_outputs != n)
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

    if (at < 0)
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

    return !osw_tensor_has_gaps(desc.ndim, desc.shape, desc.strides) ||
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
    if (!t.any)
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

static void keep_errors(struct verdict *v, uint32_t i,
                        const struct osw_errors *e)
{
    struct osw_record *r = v->record;
    const struct osw_accept *accept = &v->job->oracle->outputs[i].accept;

    r->n_elem += e->n_elem;
    r->n_bad += e->n_bad;
    r->n_nan += e->n_nan;
    r->max_abs_err = nan_max(r->max_abs_err, e->max_abs);
    r->max_rel_err = nan_max(r->max_rel_err, e->max_rel);
    r->max_ulp_err = nan_max(r->max_ulp_err, e->max_ulp);
    r->tol_abs = nan_max(r->tol_abs, accept->exact ? 0 : accept->atol);
    r->tol_rel = nan_max(r->tol_rel, accept->exact ? 0 : accept->rtol);
    if (r->first_bad < 0 && e->n_bad > 0) {
        r->first_bad = e->first_bad;
        r->bad_output = (int32_t)i;
    }
}

static void forget_errors(struct osw_record *r)
{
    r->n_elem = r->n_bad = r->n_nan = 0;
    r->max_abs_err = r->max_rel_err = r->max_ulp_err = NAN;
    r->tol_abs = r->tol_rel = NAN;
    r->first_bad = -1;
    r->bad_output = -1;
}

/* Does the first bad element still hold nothing but the pattern? */
static bool first_bad_is_poison(struct verdict *v, unsigned char pattern)
{
    const struct osw_record *r = v->record;
    struct osw_tensor_desc desc;
    struct osw_element element;
    struct osw_view view;

    if (r->first_bad < 0)
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

static bool end_bad(struct verdict *v)
{
    const struct osw_record *r = v->record;
    char words[256];

    describe_bad(v, words, sizeof(words));
    return end_as(v, r->n_nan > 0 ? OSW_STATE_NAN : OSW_STATE_VALUE,
                  OSW_PHASE_VERIFY,
                  "%lld of %lld elements are wrong, the first is %lld of "
                  "output %d: %s",
                  (long long)r->n_bad, (long long)r->n_elem,
                  (long long)r->first_bad, (int)r->bad_output, words);
}

static bool compare_values(struct verdict *v)
{
    const struct osw_oracle_result *oracle = v->job->oracle;

    forget_errors(v->record);
    for (uint32_t i = 0; i < oracle->n_outputs; i++) {
        struct osw_tensor_desc desc;
        struct osw_view got = view_of(v, i, &desc);
        struct osw_errors e;

        place_of(v)->ops->compare(place_of(v)->device, &got,
                                  &oracle->outputs[i].want,
                                  &oracle->outputs[i].accept, &e);
        keep_errors(v, i, &e);
    }
    return v->record->n_bad == 0;
}

static bool compare_product(struct verdict *v)
{
    struct osw_product_answer answer;
    struct osw_tensor_desc desc;
    struct osw_view got = view_of(v, 0, &desc);

    forget_errors(v->record);
    osw_product_check(v->job->op, v->job->trial, &got, &answer);
    v->record->n_elem = answer.n_elem;
    if (answer.applies && answer.right) {
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
    struct osw_writer w = osw_writer(v->box->message, sizeof(v->box->message));

    if (!v->box->env->device->ops->own_memory)
        return true;
    osw_write_u8(&w, OSW_TALK_LOOK);
    return osw_box_send(v->box, &w) == 0 && read_result(v);
}

/* Wrong values may be unfinished ones: leave whoever still writes a moment,
 * and look whether they changed.
 */
static bool still_changes(struct verdict *v)
{
    uint64_t before = v->hash;

    osw_clock_sleep_ns(SECOND_LOOK_NS);
    if (v->box->zone == OSW_ZONE_WINDOW && !ask_to_look(v))
        return false;
    hash_outputs(v);
    return v->hash != before;
}

/* One pass: run, then look at everything.  In pass B the comparison is left
 * out when the outputs are those of pass A to the bit.
 */
static bool pass(struct verdict *v, bool first, unsigned char pattern)
{
    uint64_t before = v->hash;
    bool was_suspect = v->suspect, right = true, judged, changed = false;
    int64_t t0;

    if (!call(v, first, pattern) || !check_code(v))
        return false;
    t0 = osw_clock_ns();
    judged = check_outputs(v) && check_guards(v, pattern) && check_trespass(v);
    if (judged) {
        hash_outputs(v);
        changed = v->result->hash != v->hash;
        if (first || was_suspect || v->hash != before)
            right = compare(v);
        if (!right) {
            v->suspect = first_bad_is_poison(v, pattern);
            changed = changed || still_changes(v);
        }
    }
    v->record->verify_ns += osw_clock_ns() - t0;
    if (!judged)
        return false;
    if (changed)
        return end_as(v, OSW_STATE_ASYNC, OSW_PHASE_VERIFY,
                      "outputs changed after it had returned");
    if (right)
        return true;
    if (v->suspect && !first)
        return end_as(v, OSW_STATE_UNWRITTEN, OSW_PHASE_VERIFY,
                      "left element %lld of output %d unwritten",
                      (long long)v->record->first_bad,
                      (int)v->record->bad_output);
    if (first && v->suspect)
        return true; /* pass B tells unwritten from wrong */
    return v->record->status_id ? false : end_bad(v);
}

static bool end_right(struct verdict *v)
{
    v->record->check_id = (uint8_t)v->job->check;
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
    end_as(v, OSW_STATE_PASS, OSW_PHASE_NONE, "%s", "");
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
        if (v->record->status_id != OSW_STATE_OOM || !osw_box_alive(v->box) ||
            !v->result->no_memory || v->box->zone != OSW_ZONE_ARENA ||
            v->workspace >= place_of(v)->limit)
            return false;
        v->workspace *= 8;
    }
}

bool osw_verdict_reach(const struct osw_verdict_job *job, struct osw_box *box,
                       struct osw_record *record)
{
    struct verdict v = {
        .job = job, .box = box, .record = record, .workspace = WORKSPACE_BYTES};

    record->check_id = (uint8_t)job->check;
    if (!both_passes(&v))
        return false;
    if (!isnan(v.result->bytes))
        record->bytes = v.result->bytes;
    if (!isnan(v.result->flops))
        record->flops = v.result->flops;
    return end_right(&v);
}

bool osw_verdict_arm(const struct osw_verdict_job *job, struct osw_box *box)
{
    struct osw_record unused;
    struct verdict v = {.job = job,
                        .box = box,
                        .record = &unused,
                        .workspace = WORKSPACE_BYTES};

    osw_record_init(&unused);
    return prepare_zone(&v) && call(&v, true, OSW_PASS_A_BYTE) &&
           check_code(&v);
}
