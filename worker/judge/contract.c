/* worker/judge/contract.c - does a file keep the op contract? */
#include "worker/judge/contract.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/drawn.h"
#include "worker/judge/oracle.h"
#include "worker/judge/trial.h"

#define DEADLINE_NS INT64_C(30000000000)

static void print_output(char *out, size_t size, const struct osw_output *o)
{
    int n = snprintf(out, size, "%s [", osw_dtype_info((int)o->dtype)->name);
    size_t used = n > 0 ? (size_t)n : 0;

    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->shape[d]);
    if (used < size)
        used += (size_t)snprintf(out + used, size - used, "] strides [");
    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->strides[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

static bool same(const struct osw_output *a, const struct osw_output *b)
{
    size_t bytes = sizeof(a->shape[0]) * (size_t)a->ndim;

    return a->dtype == b->dtype && a->ndim == b->ndim && a->alias == b->alias &&
           memcmp(a->shape, b->shape, bytes) == 0 &&
           memcmp(a->strides, b->strides, bytes) == 0;
}

static void hold_against(const struct osw_oracle_result *meta,
                         const struct osw_oracle_result *real,
                         struct osw_contract *out)
{
    char a[256], b[256];

    out->meta_agrees = false;
    if (meta->n_outputs != real->n_outputs) {
        snprintf(out->text, sizeof(out->text),
                 "_meta declares %u outputs, the run made %u", meta->n_outputs,
                 real->n_outputs);
        return;
    }
    for (uint32_t i = 0; i < real->n_outputs; i++) {
        const struct osw_output *m = &meta->outputs[i].as_run;
        const struct osw_output *r = &real->outputs[i].as_run;

        if (same(m, r))
            continue;
        print_output(a, sizeof(a), m);
        print_output(b, sizeof(b), r);
        snprintf(out->text, sizeof(out->text),
                 "_meta declares output %u as %s%s, the run made %s%s", i, a,
                 m->alias >= 0 ? " (alias)" : "", b,
                 r->alias >= 0 ? " (alias)" : "");
        return;
    }
    out->meta_agrees = true;
}

static size_t index_of(const struct osw_op *op, const char *impl)
{
    const struct osw_op_file *file = osw_op_impl(op, impl);

    return file ? (size_t)(file - op->impls) : op->n_impls;
}

static struct osw_box *load(struct osw_judge *judge, const char *impl,
                            struct osw_contract *out)
{
    enum osw_state state;
    struct osw_box *box;
    int64_t ns = 0;

    box = osw_judge_box(judge, index_of(&judge->op, impl), &ns, &state,
                        out->text, sizeof(out->text));
    out->loaded = box != NULL;
    if (!box)
        return NULL;
    out->has_prepare = box->traits.has_prepare;
    out->has_meta = box->traits.has_meta;
    out->has_work = box->traits.has_work;
    return box;
}

int osw_judge_contract(struct osw_judge *judge, const struct osw_bundle *bundle,
                       const char *impl, struct osw_contract *out,
                       struct osw_error *err)
{
    struct osw_oracle_result meta, real;
    struct osw_trial trial;
    struct osw_box *box;
    struct osw_oracle_job job = {.memory = judge->case_memory,
                                 .op = &judge->op,
                                 .trial_inputs = &trial,
                                 .trial = -1,
                                 .flops = NAN,
                                 .deadline_ns = DEADLINE_NS,
                                 .fit = osw_judge_fit,
                                 .fit_arg = judge};

    *out = (struct osw_contract){.loaded = false};
    osw_arena_reset(judge->case_memory);
    if (osw_judge_load_op(judge, bundle->op_dir, err) < 0 ||
        osw_trial_make(judge->case_memory, &judge->op, bundle->case_text,
                       bundle->fill, judge->config.seed,
                       judge->places[OSW_ZONE_WINDOW].limit, &trial, err) < 0 ||
        osw_drawn_fill(judge, &trial, &judge->places[OSW_ZONE_WINDOW], 0, 0,
                       err) < 0)
        return -1;
    if (strcmp(impl, "reference") == 0 && !judge->op.reference)
        return osw_fail(err, OSW_BAD_INPUT, "there is no reference");
    box = load(judge, impl, out);
    if (!box)
        return 0;
    job.box = box;
    osw_oracle_run(&job, &real);
    out->supported = real.state == OSW_STATE_NONE;
    if (!out->supported)
        snprintf(out->text, sizeof(out->text), "%s", real.text);
    if (!out->supported || !out->has_meta || !osw_box_alive(box))
        return 0;
    job.meta_only = true;
    osw_oracle_run(&job, &meta);
    if (meta.state == OSW_STATE_NONE)
        hold_against(&meta, &real, out);
    else
        snprintf(out->text, sizeof(out->text), "_meta: %s", meta.text);
    return 0;
}
