/* worker/judge/contract/made.c - inputs of a case, and what the reference makes
 * of them
 */
#include "worker/made.h"

#include <math.h>
#include <stdio.h>

#include "worker/judge/contract/contract.h"
#include "worker/judge/contract/subject.h"

static bool list_inputs(const struct osw_trial *t, osw_arena_t *memory,
                        struct osw_made *out)
{
    struct osw_made_input *all =
        osw_arena_array(memory, t->n_tensors, sizeof(*all));

    for (size_t i = 0; all && i < t->n_tensors; i++)
        all[i] = (struct osw_made_input){
            .arg = (uint32_t)t->tensors[i].arg,
            .desc = t->tensors[i].desc,
            .data = t->image + t->tensors[i].offset,
            .bytes = t->tensors[i].extent,
        };
    out->inputs = all;
    out->n_inputs = t->n_tensors;
    return all != NULL;
}

static double largest(const double *norm, uint64_t n)
{
    double max = 0;

    for (uint64_t i = 0; norm && i < n; i++)
        max = isfinite(norm[i]) ? fmax(max, norm[i]) : max;
    return max;
}

/* Not below what counts without norms. */
static void allow(const struct osw_oracle_output *o, uint64_t n,
                  struct osw_made_output *out)
{
    const struct osw_accept *a = &o->accept;
    struct osw_tolerance plain =
        osw_op_tolerance(o->tolerance.op, o->tolerance.dtype);

    if (a->exact)
        return;
    out->rtol = fmax(a->rtol, plain.rtol);
    out->atol = fmax(a->atol + a->ntol * largest(o->want.norm, n), plain.atol);
}

static bool list_outputs(const struct osw_oracle_result *r, osw_arena_t *memory,
                         struct osw_made *out)
{
    struct osw_made_output *all =
        osw_arena_array(memory, r->n_outputs, sizeof(*all));

    for (uint32_t i = 0; all && i < r->n_outputs; i++) {
        const struct osw_oracle_output *o = &r->outputs[i];
        uint64_t n = (uint64_t)osw_output_numel(&o->as_run);

        all[i] = (struct osw_made_output){
            .desc = o->want.exact ? &o->desc : o->want.view.desc,
            .alias = o->as_run.alias,
            .values = o->want.exact ? NULL : o->want.view.data,
            .exact = o->want.exact,
            .bytes = o->want.exact ? n * sizeof(double)
                                   : (uint64_t)osw_output_extent(&o->as_run),
        };
        allow(o, n, &all[i]);
    }
    out->outputs = all;
    out->n_outputs = r->n_outputs;
    return all != NULL;
}

int osw_worker_make(osw_worker_t *worker, const struct osw_bundle *bundle,
                    void (*see)(void *arg, const struct osw_made *made),
                    void *arg, char why[512], struct osw_error *err)
{
    return osw_worker_make_changed(worker, bundle, NULL, see, arg, why, err);
}

int osw_worker_make_changed(osw_worker_t *worker,
                            const struct osw_bundle *bundle,
                            void (*change)(void *arg,
                                           const struct osw_made_input *inputs,
                                           size_t n_inputs),
                            void (*see)(void *arg, const struct osw_made *made),
                            void *arg, char why[512], struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;
    struct osw_contract unused = {.loaded = false};
    struct osw_subject subject = {
        .judge = judge, .out = &unused, .reference = true};
    struct osw_subject_made call;
    struct osw_made made;

    why[0] = '\0';
    if (osw_judge_begin_trial(judge, bundle, &subject.given, err) < 0)
        return -1;
    if (!judge->op.reference) {
        snprintf(why, 512, "there is no reference");
        return 0;
    }
    subject.index = judge->op.n_impls;
    made = (struct osw_made){.args = subject.given.args,
                             .n_args = subject.given.n_args};
    if (!list_inputs(&subject.given, judge->case_memory, &made))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a list");
    subject.is_filled = change != NULL;
    if (change)
        change(arg, made.inputs, made.n_inputs);
    osw_subject_load_fresh(&subject);
    osw_subject_call(&subject, &subject.given, &subject.real, &call);
    if (!call.ran) {
        snprintf(why, 512, "%.511s", unused.text[0] ? unused.text : call.text);
        return 0;
    }
    if (!list_outputs(&subject.real, judge->case_memory, &made))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a list");
    see(arg, &made);
    return 0;
}
