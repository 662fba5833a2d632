/* worker/judge/compare/product.c - a matrix product judged without computing it
 */
#include "worker/judge/compare/product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/compare/freivalds.h"

/* Not the seed of the inputs: the op must not know these random values. */
#define HIDDEN UINT64_C(0x9e3779b97f4a7c15)

/* The tensor argument of that name; false when there is none. */
static bool find(const struct osw_trial *trial, const char *name,
                 struct osw_view *out)
{
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (strcmp(trial->args[trial->tensors[i].arg].name, name) == 0) {
            *out = osw_trial_view(trial, i);
            return true;
        }
    return false;
}

/* A factor that op.json's product knows nothing of. */
static const struct osw_bound_arg *scaled(const struct osw_trial *trial)
{
    for (size_t i = 0; i < trial->n_args; i++) {
        const struct osw_bound_arg *a = &trial->args[i];
        double value = a->value->kind == OSW_VALUE_INT ? (double)a->value->u.i
                       : a->value->kind == OSW_VALUE_FLOAT ? a->value->u.f
                                                           : 1;

        if (value != 1 &&
            (strcmp(a->name, "alpha") == 0 || strcmp(a->name, "beta") == 0))
            return a;
    }
    return NULL;
}

static void refuse(struct osw_product_answer *out, const char *why)
{
    snprintf(out->text, sizeof(out->text), "Freivalds' check: %.200s", why);
}

void osw_product_check(const struct osw_op *op, const struct osw_trial *trial,
                       const struct osw_view *got,
                       struct osw_product_answer *out)
{
    struct osw_view a, b, plus;
    struct osw_matmul job = {
        .c = got, .a = &a, .b = &b, .seed = trial->seed ^ HIDDEN};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_freivalds f;

    *out = (struct osw_product_answer){.n_elem = osw_view_numel(got),
                                       .first_bad = -1};
    if (!op->product.a || !find(trial, op->product.a, &a) ||
        !find(trial, op->product.b, &b)) {
        refuse(out, "op.json names no factors that are tensors of the case");
        return;
    }
    if (op->product.plus[0] && find(trial, op->product.plus, &plus))
        job.plus = &plus;
    if (scaled(trial)) {
        refuse(out, "alpha and beta must be 1");
        return;
    }
    if (osw_freivalds_check(&job, &f, &err) < 0) {
        refuse(out, err.text);
        return;
    }
    if (f.answer == OSW_FREIVALDS_NOT_APPLICABLE) {
        refuse(out, f.why);
        return;
    }
    out->applies = true;
    out->right = f.answer == OSW_FREIVALDS_RIGHT;
    out->first_bad = f.bad_index;
    out->nan = !out->right && !isfinite(f.got);
    if (!out->right)
        snprintf(out->text, sizeof(out->text),
                 "element %lld of %lld is wrong: got %.9g, expected %.9g "
                 "(Freivalds' check of %lld rows)",
                 (long long)f.bad_index, (long long)out->n_elem, f.got,
                 f.expected, (long long)f.n_rows);
}
