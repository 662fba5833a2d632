/* worker/judge/eval/eval.c - one bundle before the judge: what all ways of
 * judging share */
#include "worker/judge/eval/eval.h"

#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/compare/weak.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/timing/work.h"

enum { DEADLINE_FACTOR = 20 };

/* Operations of a case whose reference may run some 20 times more. */
#define APPEAL_FLOPS        0x1p31
#define DEVICE_APPEAL_FLOPS 0x1p37

/* What a run of the reference may take for other inputs to be tried too. */
#define TRIAL_NS        INT64_C(20000000)
#define DEVICE_TRIAL_NS INT64_C(100000000)

const enum osw_trial_kind osw_eval_trial_order[OSW_N_TRIALS] = {
    OSW_TRIAL_INTEGERS, OSW_TRIAL_OFFSET, OSW_TRIAL_SPECIAL, OSW_TRIAL_REDRAW};

size_t osw_eval_impl_index(const struct osw_op *op, const char *name)
{
    const struct osw_op_file *file = osw_op_impl(op, name);

    return file ? (size_t)(file - op->impls) : SIZE_MAX;
}

size_t osw_eval_reference_index(const struct osw_eval *run)
{
    const struct osw_op *op = &run->judge->op;
    const struct osw_place *place = run->trial.place;

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

struct osw_oracle_job osw_eval_oracle_job(struct osw_eval *run,
                                          struct osw_sandbox *sandbox)
{
    return (struct osw_oracle_job){
        .memory = run->memory,
        .op = &run->judge->op,
        .trial_inputs = &run->trial,
        .trial = -1,
        .flops = run->bundle->flops,
        .sandbox = sandbox,
        .deadline_ns = run->deadline_ns,
        .meta_only = run->check == OSW_CHECK_FREIVALDS,
        .fit = osw_judge_fit,
        .fit_arg = run->judge,
    };
}

const char *osw_eval_weakness(struct osw_eval *run,
                              const struct osw_trial *trial,
                              const struct osw_oracle_result *want)
{
    struct osw_view *inputs =
        osw_arena_array(run->memory, trial->n_tensors, sizeof(*inputs));
    const char *found = NULL;

    if (!OSW_CHECKS(WEAK) || !inputs || !want->have_values)
        return NULL;
    for (size_t i = 0; i < trial->n_tensors; i++)
        inputs[i] = osw_trial_view(trial, i);
    for (uint32_t i = 0; i < want->n_outputs; i++) {
        const struct osw_oracle_output *o = &want->outputs[i];
        const char *why = osw_weak_find(trial->place, &o->desc, &o->want,
                                        &o->accept, inputs, trial->n_tensors);

        if (!why)
            return NULL;
        if (!found)
            found = why;
    }
    return found;
}

void osw_eval_look_for_weakness(struct osw_eval *run)
{
    int64_t t0 = osw_clock_ns();
    bool exact = run->oracle.n_outputs > 0;

    for (uint32_t i = 0; i < run->oracle.n_outputs; i++)
        exact = exact && run->oracle.outputs[i].accept.exact;
    if (run->check != OSW_CHECK_FREIVALDS)
        run->check = exact ? OSW_CHECK_EXACT : OSW_CHECK_FULL;
    run->weak = osw_eval_weakness(run, &run->trial, &run->oracle);
    run->shared.verify_ns += osw_clock_ns() - t0;
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
    all.baseline = b->baseline;
    all.bytes =
        osw_work_bytes(&run->judge->op, &run->trial, &run->oracle, b->bytes)
            .bytes;
    all.flops = isnan(run->oracle.flops) ? b->flops : run->oracle.flops;
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

/* Errors of the baseline, once they are known. */
static double baseline_rms(const struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;

    if (run->outside.hash)
        return run->outside.rms;
    for (uint32_t k = 0; k < b->n_impls; k++)
        if (strcmp(b->impls[k], b->baseline) == 0 && run->known[k].hash)
            return run->known[k].rms;
    return NAN;
}

static struct osw_oracle_job appeal_to(void *arg)
{
    struct osw_eval *run = arg;

    if (run->reference && !osw_sandbox_alive(run->reference))
        run->reference = NULL;
    return osw_eval_oracle_job(run, run->reference);
}

struct osw_verdict_job osw_eval_verdict_job(struct osw_eval *run,
                                            struct osw_verdict_memory *known)
{
    run->appeals = (struct osw_appeal_reference){
        .memory = run->memory,
        .job = appeal_to,
        .arg = run,
        .flops = run->judge->device->ops->own_memory ? DEVICE_APPEAL_FLOPS
                                                     : APPEAL_FLOPS};
    return (struct osw_verdict_job){
        .memory = run->memory,
        .op = &run->judge->op,
        .trial = &run->trial,
        .kind = -1,
        .case_id = run->case_id,
        .baseline_rms = baseline_rms(run),
        .known = known,
        .oracle = &run->oracle,
        .appeals = &run->appeals,
        .check = run->check,
        .weak = run->weak,
        .deadline_ns = run->deadline_ns,
        .time = osw_eval_wants_time(run),
        .fit = osw_judge_fit,
        .fit_arg = run->judge,
    };
}

const struct osw_fill *osw_eval_trial_fills(struct osw_eval *run,
                                            enum osw_trial_kind kind)
{
    size_t n = run->trial.n_tensors;
    struct osw_fill *fills = osw_arena_array(run->memory, n, sizeof(*fills));
    bool changed = false;

    for (size_t i = 0; fills && i < n; i++) {
        const struct osw_fill *own = &run->trial.fills[i];

        fills[i] =
            osw_trial_fill_of(kind, run->trial.tensors[i].desc->dtype, own);
        /* Integers are exact only where all are. */
        if (kind == OSW_TRIAL_INTEGERS &&
            osw_dtype_is_floating(
                osw_dtype_info((int)run->trial.tensors[i].desc->dtype)) &&
            fills[i].kind != OSW_FILL_SMALLINT)
            return NULL;
        changed = changed || fills[i].kind != own->kind;
    }
    return changed ? fills : NULL;
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

bool osw_eval_affords_trials(const struct osw_eval *run)
{
    return run->oracle.call_ns <
           (run->judge->device->ops->own_memory ? DEVICE_TRIAL_NS : TRIAL_NS);
}

/* Every cell carries an equal share of what was done for all of them. */
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
    r->wall_ns = own_ns + (s->build_ns + s->fill_ns + s->reference_ns +
                           s->run_ns + s->verify_ns) /
                              run->bundle->n_impls;
    if (!r->reason)
        r->reason = "";
    if (!r->output)
        r->output = "";
}

static int64_t deadline_of(const struct osw_judge *judge,
                           const struct osw_bundle *bundle)
{
    int64_t ns = judge->config.deadline_ns ? judge->config.deadline_ns
                                           : OSW_JUDGE_DEADLINE_NS;
    double own = judge->op.timeout_s * 1e9;
    int64_t predicted = bundle->cost_ns < INT64_MAX / DEADLINE_FACTOR
                            ? bundle->cost_ns * DEADLINE_FACTOR
                            : INT64_MAX;

    if (own > (double)ns && own < 1e18)
        ns = (int64_t)own;
    return predicted > ns ? predicted : ns;
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
    if (!run->records || !run->known || !run->own_ns)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a bundle");
    if (osw_judge_load_op(judge, bundle->op_dir, err) < 0)
        return -1;
    run->oracle_name = osw_oracle_name(judge->op.oracle);
    run->deadline_ns = deadline_of(judge, bundle);
    /* Where the device has its own memory, computing the product is cheap. */
    run->check =
        bundle->check == OSW_CHECK_FREIVALDS && !judge->device->ops->own_memory
            ? OSW_CHECK_FREIVALDS
            : OSW_CHECK_FULL;
    return 0;
}
