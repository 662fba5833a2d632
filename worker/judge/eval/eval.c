/* worker/judge/eval/eval.c - the evaluation of a bundle: shared by single cases
 * and batches */
#include "worker/judge/eval/eval.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "ops/catalog/baselines.h"
#include "worker/hash.h"
#include "worker/hash_mix.h"
#include "worker/judge/compare/weak.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/deadline.h"
#include "worker/judge/timing/work.h"

enum {
    DEADLINE_FACTOR = 20,
    VERIFIED_PART = 4, /* of the time for timing: for a call to be verified */
};

/* Limits, in ns, for trials on other inputs: of a call by the plan, and of the
 * reference's measured call.  The plan's value is the same in every run.  The
 * second limit is for slow kinds of references (Python's first calls); a busy
 * machine does not reach it with other references.  On a device the plan does
 * not know the cost of references in float64.  When calls are timed, the limit
 * is a part of the time for timing.
 */
static const struct limits {
    int64_t planned_ns, taken_ns;
} trial_limits[] = {
    {5000000, 1000000000},  /* a processor */
    {INT64_MAX, 100000000}, /* a device */
};

size_t osw_eval_impl_index(const struct osw_op *op, const char *name)
{
    const struct osw_op_file *file = osw_op_impl(op, name);

    return file ? (size_t)(file - op->impls) : SIZE_MAX;
}

size_t osw_eval_reference_index(const struct osw_eval *run)
{
    const struct osw_op *op = &run->judge->op;
    const struct osw_place *place = run->own.trial.place;

    if (op->oracle == OSW_ORACLE_IMPLEMENTATION)
        return osw_eval_impl_index(op, op->reference->name);
    return op->host_reference && place && place->zone == OSW_ZONE_WINDOW
               ? op->n_impls + 1
               : op->n_impls;
}

void osw_eval_stop(struct osw_eval *run, enum osw_state state, const char *why)
{
    run->stopped = state;
    run->why = osw_arena_strdup(run->memory, why);
    if (!run->why)
        run->why = "";
}

struct osw_sandbox *osw_eval_reference(const struct osw_eval *run)
{
    return osw_pool_find(&run->judge->pool, run->reference);
}

struct osw_sandbox *osw_eval_baseline(const struct osw_eval *run)
{
    return osw_pool_find(&run->judge->pool, run->baseline);
}

struct osw_trial *osw_eval_reference_trial(struct osw_eval *run,
                                           struct osw_inputs *inputs)
{
    return run->world.size ? osw_world_trial(&run->world, &inputs->trial)
                           : &inputs->trial;
}

struct osw_oracle_job osw_eval_oracle_job(struct osw_eval *run,
                                          struct osw_inputs *inputs,
                                          struct osw_sandbox *sandbox)
{
    return (struct osw_oracle_job){
        .memory = run->memory,
        .op = &run->judge->op,
        .trial_inputs = osw_eval_reference_trial(run, inputs),
        .world = run->world.size ? &run->world : NULL,
        .trial = inputs->kind,
        .flops = run->bundle->flops,
        .signed_zero = run->judge->config.signed_zero,
        .sandbox = sandbox,
        .deadline_ns = run->deadline_ns,
        .meta_only = run->check == OSW_CHECK_FREIVALDS,
        .of_reference = true,
        .fit = osw_judge_ensure_bytes,
        .fit_arg = run->judge,
        .relieve = osw_judge_relieve,
    };
}

struct osw_exec osw_eval_exec(struct osw_eval *run, struct osw_record *record)
{
    return (struct osw_exec){.judge = run->judge,
                             .memory = run->memory,
                             .case_id = run->case_id,
                             .deadline_ns = osw_eval_call_deadline(run),
                             .time = osw_eval_wants_time(run),
                             .record = record};
}

const char *osw_eval_weakness(struct osw_eval *run, const struct osw_inputs *in)
{
    const struct osw_trial *trial = &in->trial;
    const struct osw_oracle_result *want = &in->want;
    struct osw_view *inputs =
        osw_arena_array(run->memory, trial->n_tensors, sizeof(*inputs));
    const char *of_all = NULL, *of_one = NULL;
    bool all = true;

    if (!OSW_CHECKS(WEAK) || !inputs || !want->have_values)
        return NULL;
    for (size_t i = 0; i < trial->n_tensors; i++)
        inputs[i] = osw_trial_view(trial, i);
    for (uint32_t i = 0; i < want->n_outputs; i++) {
        const struct osw_oracle_output *o = &want->outputs[i];
        const char *why;

        if (osw_tensor_numel(o->desc.ndim, o->desc.shape) == 0)
            continue;
        why = osw_weak_find(trial->place, &o->desc, &o->want, &o->accept,
                            inputs, trial->n_tensors);
        all = all && why;
        of_all = of_all ? of_all : why;
        if (why && !of_one &&
            osw_dtype_is_floating(osw_dtype_info((int)o->desc.dtype)))
            of_one = osw_arena_printf(run->memory, "as output %u %s", i, why);
    }
    return all ? of_all : of_one;
}

void osw_eval_look_for_weakness(struct osw_eval *run)
{
    int64_t t0 = osw_clock_ns();
    bool exact = run->own.want.n_outputs > 0;

    for (uint32_t i = 0; i < run->own.want.n_outputs; i++)
        exact = exact && run->own.want.outputs[i].accept.exact;
    if (run->check != OSW_CHECK_FREIVALDS)
        run->check = exact ? OSW_CHECK_EXACT : OSW_CHECK_FULL;
    run->own.weak = osw_eval_weakness(run, &run->own);
    run->shared.verify_ns += osw_clock_ns() - t0;
}

/* The plan has refused expressions that do not fit the case. */
static void keep_bandwidth(struct osw_eval *run, struct osw_record *all)
{
    struct osw_bandwidth *b = &run->bandwidth;

    all->world = run->bundle->gang ? run->bundle->gang->size : 0;
    if (osw_op_bandwidth_of(&run->judge->op, all->world, run->own.trial.args,
                            run->own.trial.n_args, b, NULL) < 0)
        *b = (struct osw_bandwidth){NAN, NAN, NAN, OSW_REDOP_NONE};
    all->coll_count = b->count;
    all->coll_bytes = b->bytes;
    all->redop_id = (uint8_t)b->redop;
}

void osw_eval_begin_records(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    struct osw_record all;

    osw_record_init(&all);
    all.attempt = b->attempt;
    all.rank = run->judge->config.rank;
    all.t_start_ns = osw_clock_unix_ns();
    all.reference = run->oracle_name;
    all.bytes = osw_work_bytes(&run->judge->op, &run->own.trial, &run->own.want,
                               b->bytes)
                    .bytes;
    all.flops = isnan(run->own.want.flops) ? b->flops : run->own.want.flops;
    keep_bandwidth(run, &all);
    for (uint32_t k = 0; k < b->n_impls; k++) {
        run->records[k] = all;
        run->records[k].cell = b->first_cell + k;
        run->records[k].cell_key = b->cell_keys[k];
    }
}

bool osw_eval_wants_time(const struct osw_eval *run)
{
    return run->bundle->time && run->judge->config.profile->time;
}

static bool is_floating(const struct osw_trial *trial, size_t i)
{
    return osw_dtype_is_floating(
        osw_dtype_info((int)trial->tensors[i].desc->dtype));
}

static int64_t numel_of(const struct osw_trial *trial, size_t i)
{
    const struct osw_tensor_desc *t = trial->tensors[i].desc;

    return osw_tensor_numel(t->ndim, t->shape);
}

/* Is another floating tensor larger?  Then this one is a weight or bias that
 * scales or shifts it: with a mean of 100 it would only make results cancel.
 */
static bool is_parameter(const struct osw_trial *trial, size_t i)
{
    for (size_t k = 0; k < trial->n_tensors; k++)
        if (is_floating(trial, k) && numel_of(trial, k) > numel_of(trial, i))
            return true;
    return false;
}

static bool is_short(const struct osw_trial *trial, size_t i)
{
    const struct osw_tensor_desc *t = trial->tensors[i].desc;

    return t->ndim > 0 && osw_trial_is_short(t->shape[t->ndim - 1]);
}

/* May the offset trial give it a mean? */
static bool may_shift(const struct osw_trial *trial, size_t i)
{
    const struct osw_fill *own = &trial->fills[i];

    return !is_parameter(trial, i) && !is_short(trial, i) &&
           osw_trial_fill_of(OSW_TRIAL_OFFSET, trial->tensors[i].desc->dtype,
                             own)
                   .kind != own->kind;
}

/* Two means would multiply each other's rounding errors (the gradient of a norm
 * subtracts both), which no perturbed input shows: one tensor has a mean, of
 * several the one that the case's seed says, and in the second turn the next.
 * SIZE_MAX: there is none.
 */
static size_t tensor_that_shifts(const struct osw_trial *trial, unsigned turn)
{
    uint64_t n = 0, nth;

    for (size_t i = 0; i < trial->n_tensors; i++)
        n += may_shift(trial, i);
    if (n <= turn)
        return SIZE_MAX;
    nth = (osw_hash_mix(trial->draw) % n + turn) % n;
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (may_shift(trial, i) && nth-- == 0)
            return i;
    return SIZE_MAX;
}

/* Is the mean of the offset trial negative?  For half of all cases: a maximum
 * that starts at 0 shows only for negative values, and an overflowing
 * exponential only for positive ones.
 */
static bool has_mean_below(const struct osw_eval *run)
{
    const char *text = run->bundle->case_text;

    return osw_hash_bytes(text, strlen(text), run->judge->config.seed) & 1;
}

/* Small integers in place of the factors' own fill are exact in any precision:
 * new values are real numbers.
 */
static bool turns_real(const struct osw_eval *run, enum osw_trial_kind kind,
                       size_t i)
{
    const struct osw_trial *trial = &run->own.trial;

    return run->check == OSW_CHECK_FREIVALDS && kind == OSW_TRIAL_REDRAW &&
           is_floating(trial, i) && trial->fills[i].kind == OSW_FILL_SMALLINT;
}

const struct osw_fill *osw_eval_trial_fills(struct osw_eval *run,
                                            enum osw_trial_kind kind,
                                            unsigned turn)
{
    const struct osw_trial *trial = &run->own.trial;
    size_t n = trial->n_tensors;
    struct osw_fill *fills = osw_arena_array(run->memory, n, sizeof(*fills));
    bool offset = kind == OSW_TRIAL_OFFSET;
    bool below = offset && has_mean_below(run);
    size_t shifts = offset ? tensor_that_shifts(trial, turn) : SIZE_MAX;
    bool changed = false;

    for (size_t i = 0; fills && i < n; i++) {
        const struct osw_fill *own = &trial->fills[i];

        fills[i] =
            offset && i != shifts
                ? *own
                : osw_trial_fill_of(kind, trial->tensors[i].desc->dtype, own);
        if (below && fills[i].kind != own->kind)
            fills[i].a = -fills[i].a;
        if (turns_real(run, kind, i))
            fills[i] = (struct osw_fill){.kind = OSW_FILL_NORMAL};
        /* Integers are exact only where all are. */
        if (kind == OSW_TRIAL_INTEGERS && is_floating(trial, i) &&
            fills[i].kind != OSW_FILL_SMALLINT)
            return NULL;
        /* Large ones beside floating tensors are out of all proportion. */
        if (kind == OSW_TRIAL_WIDE && is_floating(trial, i))
            return NULL;
        changed = changed || fills[i].kind != own->kind;
    }
    return changed ? fills : NULL;
}

bool osw_eval_has_new_outputs(const struct osw_oracle_result *want)
{
    for (uint32_t i = 0; i < want->n_outputs; i++)
        if (want->outputs[i].as_run.alias < 0)
            return true;
    return false;
}

void osw_eval_keep_work(const struct osw_result *result, struct osw_record *r)
{
    if (isnan(r->bytes))
        r->bytes = result->bytes;
    if (isnan(r->flops))
        r->flops = result->flops;
}

bool osw_eval_same_shapes(const struct osw_oracle_result *a,
                          const struct osw_oracle_result *b)
{
    if (a->n_outputs != b->n_outputs)
        return false;
    for (uint32_t i = 0; i < a->n_outputs; i++) {
        const struct osw_output *x = &a->outputs[i].as_run;
        const struct osw_output *y = &b->outputs[i].as_run;

        if (x->dtype != y->dtype || x->ndim != y->ndim ||
            memcmp(x->shape, y->shape, sizeof(x->shape[0]) * (size_t)x->ndim) !=
                0)
            return false;
    }
    return true;
}

static const struct limits *limits_of(const struct osw_eval *run)
{
    return &trial_limits[run->judge->device->ops->own_memory];
}

static bool affords(const struct osw_eval *run, int64_t planned_ns)
{
    const struct limits *most = limits_of(run);

    if (planned_ns < most->planned_ns)
        planned_ns = most->planned_ns;
    return run->bundle->call_ns < planned_ns &&
           run->own.want.call_ns < most->taken_ns;
}

bool osw_eval_reference_is_slow(const struct osw_eval *run)
{
    const struct limits *most = limits_of(run);

    return run->bundle->call_ns < most->planned_ns &&
           run->own.want.call_ns >= most->taken_ns;
}

bool osw_eval_affords_trials(const struct osw_eval *run)
{
    return affords(run, 0);
}

bool osw_eval_affords_verifying(const struct osw_eval *run)
{
    return affords(run,
                   run->judge->config.profile->time_cap_ns / VERIFIED_PART);
}

/* Every cell gets an equal share of the time spent for all of them. */
static void add_share(const struct osw_eval *run, struct osw_record *r)
{
    const struct osw_record *s = &run->shared;
    int64_t n = run->bundle->n_impls;

    r->build_ns += s->build_ns / n;
    r->fill_ns += s->fill_ns / n;
    r->reference_ns += s->reference_ns / n;
    r->run_ns += s->run_ns / n;
    r->verify_ns += s->verify_ns / n;
}

void osw_eval_finish_record(const struct osw_eval *run, int64_t own_ns,
                            struct osw_record *r)
{
    const struct osw_record *s = &run->shared;

    add_share(run, r);
    r->wall_ns = own_ns + osw_record_phases_ns(s) / run->bundle->n_impls;
    if (!r->reason)
        r->reason = "";
    if (!r->output)
        r->output = "";
}

/* For the reference, for which only the cost of the case is known. */
static int64_t deadline_of(const struct osw_bundle *bundle, int64_t floor_ns)
{
    int64_t predicted = bundle->cost_ns < INT64_MAX / DEADLINE_FACTOR
                            ? bundle->cost_ns * DEADLINE_FACTOR
                            : INT64_MAX;

    return predicted > floor_ns ? predicted : floor_ns;
}

static int64_t floor_of(const struct osw_judge *judge)
{
    const struct osw_op *op = &judge->op;
    int64_t least = (int64_t)(op->least_timeout_s * 1e9);

    if (least < judge->config.least_ns)
        least = judge->config.least_ns;
    return osw_deadline_floor(op->timeout_s, judge->config.deadline_ns,
                              OSW_JUDGE_DEADLINE_NS, least);
}

int64_t osw_eval_call_deadline(const struct osw_eval *run)
{
    return osw_deadline_of_call(run->bundle->call_ns, run->own.want.call_ns,
                                floor_of(run->judge));
}

/* Baselines come first, the best one before all, so that the other cells can be
 * timed against it, whatever group they are in.
 */
static void set_order(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    char name[OSW_OP_MAX_NAME + 1];
    uint32_t n = 0;

    for (int i = 0; osw_baselines_at(b->baselines, i, name, sizeof(name)); i++)
        for (uint32_t k = 0; k < b->n_impls; k++)
            if (strcmp(b->impls[k], name) == 0 && n < b->n_impls)
                run->order[n++] = k;
    for (uint32_t k = 0; k < b->n_impls && n < b->n_impls; k++)
        if (osw_baselines_rank(b->baselines, b->impls[k]) < 0)
            run->order[n++] = k;
}

int osw_eval_begin(struct osw_eval *run, struct osw_error *err)
{
    struct osw_judge *judge = run->judge;
    const struct osw_bundle *bundle = run->bundle;

    osw_record_init(&run->shared);
    run->shared.fill_ns = judge->owed_ns;
    judge->owed_ns = 0;
    run->case_id = ++judge->n_cases;
    run->records =
        osw_arena_array(run->memory, bundle->n_impls, sizeof(*run->records));
    run->known =
        osw_arena_array(run->memory, bundle->n_impls, sizeof(*run->known));
    run->own_ns =
        osw_arena_array(run->memory, bundle->n_impls, sizeof(*run->own_ns));
    run->members =
        osw_arena_array(run->memory, bundle->n_impls, sizeof(*run->members));
    run->order =
        osw_arena_array(run->memory, bundle->n_impls, sizeof(*run->order));
    run->agree = osw_agree_of(bundle->gang);
    if (!run->records || !run->known || !run->own_ns || !run->members ||
        !run->order)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a bundle");
    set_order(run);
    if (osw_judge_load_op(judge, bundle->op_dir, err) < 0)
        return -1;
    run->oracle_name = osw_oracle_name(judge->op.oracle);
    run->deadline_ns = deadline_of(bundle, floor_of(judge));
    /* Where the device has its own memory, computing the product is cheap. */
    run->check =
        bundle->check == OSW_CHECK_FREIVALDS && !judge->device->ops->own_memory
            ? OSW_CHECK_FREIVALDS
            : OSW_CHECK_FULL;
    return 0;
}

double osw_eval_baseline_rms(const struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    int best = INT_MAX;
    double rms = NAN;

    if (run->outside.hash)
        return run->outside.rms;
    for (uint32_t k = 0; k < b->n_impls; k++) {
        int rank = osw_baselines_rank(b->baselines, b->impls[k]);

        if (rank >= 0 && rank < best && run->known[k].hash) {
            best = rank;
            rms = run->known[k].rms;
        }
    }
    return rms;
}
