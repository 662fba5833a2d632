/* worker/judge/contract/contract.c - does a file keep the op contract? */
#include "worker/judge/contract/contract.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/contract/subject.h"
#include "worker/judge/eval/eval.h"
#include "worker/judge/inputs/generated.h"
#include "worker/worker.h"

static const char *const names[] = {
#define X(NAME, word) word,
    OSW_SUBTEST_MAP(X)
#undef X
};

const char *osw_subtest_name(enum osw_subtest_id id)
{
    return names[id];
}

void osw_subject_settle(struct osw_subject *s, enum osw_subtest_id id,
                        enum osw_subtest_state outcome, const char *fmt, ...)
{
    struct osw_subtest *t = &s->out->tests[id];
    va_list ap;

    t->state = outcome;
    va_start(ap, fmt);
    vsnprintf(t->text, sizeof(t->text), fmt, ap);
    va_end(ap);
}

/* --- running cases --- */

static int fill(struct osw_subject *s, struct osw_trial *t,
                struct osw_error *err)
{
    return osw_generated_fill(s->judge, t, t->place, 0, 0, err);
}

/* In the device's own memory, but for small cases: as bundles are judged. */
static int make_trial(struct osw_judge *judge, const struct osw_bundle *bundle,
                      struct osw_trial *out, struct osw_error *err)
{
    bool own = judge->device->ops->own_memory;
    struct osw_place *largest =
        &judge->places[own ? OSW_ZONE_ARENA : OSW_ZONE_WINDOW];

    if (osw_trial_make(judge->case_memory, &judge->op, bundle->case_text,
                       bundle->fill, judge->config.seed, largest->limit, out,
                       err) < 0)
        return -1;
    out->place = out->inputs_bytes > OSW_WORKER_SMALL_BYTES
                     ? largest
                     : &judge->places[OSW_ZONE_WINDOW];
    return 0;
}

struct osw_oracle_job osw_contract_job(struct osw_judge *judge,
                                       struct osw_sandbox *sandbox,
                                       struct osw_trial *trial,
                                       int64_t deadline_ns)
{
    return (struct osw_oracle_job){.memory = judge->case_memory,
                                   .op = &judge->op,
                                   .trial_inputs = trial,
                                   .sandbox = sandbox,
                                   .trial = -1,
                                   .flops = NAN,
                                   .deadline_ns = deadline_ns,
                                   .fit = osw_judge_ensure_bytes,
                                   .fit_arg = judge};
}

struct osw_oracle_job osw_subject_job(const struct osw_subject *s,
                                      struct osw_trial *trial)
{
    struct osw_oracle_job job =
        osw_contract_job(s->judge, s->sandbox, trial, OSW_SUBJECT_DEADLINE_NS);

    job.of_reference = s->reference;
    return job;
}

/* Hash of all outputs, as the judge has them. */
void osw_subject_bits(const struct osw_place *place,
                      const struct osw_oracle_result *r,
                      struct osw_subject_made *out)
{
    out->comparable = true;
    out->bits = 0;
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        const struct osw_oracle_output *o = &r->outputs[i];
        const struct osw_output *run = &o->as_run;

        if (o->want.exact)
            out->bits += place->ops->hash(
                place->device, o->want.exact,
                (uint64_t)osw_output_numel(run) * sizeof(double), i);
        else if (osw_tensor_has_gaps(run->ndim, run->shape, run->strides))
            out->comparable = false;
        else
            out->bits += place->ops->hash(place->device, o->want.view.data,
                                          (uint64_t)osw_output_extent(run), i);
    }
}

const char *osw_contract_words(const char *text)
{
    static const char name[] = "the reference";
    size_t n = sizeof(name) - 1;

    if (strncmp(text, name, n) != 0)
        return text;
    return text + n + strspn(text + n, ": ");
}

/* One call of the case, its inputs as new. */
void osw_subject_call(struct osw_subject *s, struct osw_trial *t,
                      struct osw_oracle_result *result,
                      struct osw_subject_made *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_oracle_job job;

    *out = (struct osw_subject_made){.ran = false};
    *result = (struct osw_oracle_result){.n_outputs = 0};
    if (!s->sandbox || !osw_sandbox_alive(s->sandbox)) {
        snprintf(out->text, sizeof(out->text), "its process has ended");
        return;
    }
    if (!s->is_filled && fill(s, t, &err) < 0) {
        snprintf(out->text, sizeof(out->text), "%s", err.text);
        return;
    }
    job = osw_subject_job(s, t);
    osw_oracle_run(&job, result);
    out->ran = result->state == OSW_STATE_NONE;
    if (out->ran)
        osw_subject_bits(t->place, result, out);
    else
        snprintf(out->text, sizeof(out->text), "%s",
                 s->reference ? result->text
                              : osw_contract_words(result->text));
}

static void load(struct osw_subject *s)
{
    enum osw_state state;
    int64_t ns = 0;

    s->sandbox = osw_judge_sandbox(s->judge, s->index, &ns, &state,
                                   s->out->text, sizeof(s->out->text));
    if (s->sandbox)
        s->sandbox->pinned = true; /* a place that grows may end others */
}

/* A process that has run nothing. */
void osw_subject_load_fresh(struct osw_subject *s)
{
    if (s->sandbox)
        osw_pool_drop(&s->judge->pool, s->sandbox->id);
    load(s);
}

/* --- entry points --- */

int osw_judge_begin_trial(struct osw_judge *judge,
                          const struct osw_bundle *bundle,
                          struct osw_trial *out, struct osw_error *err)
{
    osw_arena_reset(judge->case_memory);
    if (osw_judge_load_op(judge, bundle->op_dir, err) < 0 ||
        make_trial(judge, bundle, out, err) < 0)
        return -1;
    return osw_generated_fill(judge, out, out->place, 0, 0, err);
}

int osw_worker_contract(osw_worker_t *worker, const struct osw_bundle *bundle,
                        const struct osw_bundle *other, const char *impl,
                        struct osw_contract *out, struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;
    struct osw_subject subject = {.judge = judge, .out = out}, *s = &subject;
    struct osw_subject_made made;

    *out = (struct osw_contract){.loaded = false};
    for (int i = 0; i < OSW_N_SUBTESTS; i++)
        osw_subject_settle(s, i, OSW_SUBTEST_WAS_SKIPPED,
                           "it could not be loaded again");
    if (osw_judge_begin_trial(judge, bundle, &s->given, err) < 0 ||
        (other && make_trial(judge, other, &s->other, err) < 0))
        return -1;
    s->has_other = other != NULL;
    s->reference = strcmp(impl, "reference") == 0;
    if (s->reference && !judge->op.reference)
        return osw_fail(err, OSW_BAD_INPUT, "there is no reference");
    s->index = s->reference ? judge->op.n_impls
                            : osw_eval_impl_index(&judge->op, impl);
    load(s);
    out->loaded = s->sandbox != NULL;
    if (!s->sandbox)
        return 0;
    out->has_prepare = s->sandbox->traits.has_prepare;
    out->has_finish = s->sandbox->traits.has_finish;
    out->has_meta = s->sandbox->traits.has_meta;
    out->has_work = s->sandbox->traits.has_work;
    osw_subject_call(s, &s->given, &s->real, &made);
    out->supported = made.ran;
    if (made.ran)
        osw_subtests_run(s);
    else
        snprintf(out->text, sizeof(out->text), "%s", made.text);
    if (s->sandbox)
        osw_pool_drop(&judge->pool, s->sandbox->id);
    return 0;
}

int osw_worker_supports(osw_worker_t *worker, const struct osw_bundle *bundle,
                        bool *supported, struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;
    struct osw_contract unused;
    struct osw_subject subject = {.judge = judge, .out = &unused},
                       *s = &subject;
    struct osw_subject_made made;

    if (osw_judge_begin_trial(judge, bundle, &s->given, err) < 0)
        return -1;
    if (!judge->op.reference)
        return osw_fail(err, OSW_BAD_INPUT, "there is no reference");
    s->index = judge->op.n_impls;
    load(s);
    osw_subject_call(s, &s->given, &s->real, &made);
    *supported = made.ran;
    return 0;
}
