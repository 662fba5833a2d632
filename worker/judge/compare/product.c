/* worker/judge/compare/product.c - a matrix product judged without computing it
 */
#include "worker/judge/compare/product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/compare/freivalds.h"
#include "worker/judge/compare/residual.h"

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
    snprintf(out->text, sizeof(out->text), "check of a product: %.200s", why);
}

static void check_integers(const struct osw_matmul *job,
                           struct osw_product_answer *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_freivalds f;

    if (osw_freivalds_check(job, &f, &err) < 0) {
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

static void say_residual(const struct osw_residual *r,
                         struct osw_product_answer *out)
{
    if (out->coarse)
        snprintf(out->text, sizeof(out->text),
                 "rms of error over norm is about %.3g, its precision allows "
                 "%.3g (residuals of %lld rows and columns)",
                 r->rms, r->allowed, (long long)r->n_rows);
    else
        snprintf(out->text, sizeof(out->text),
                 "element %lld of %lld is wrong: got %.9g, expected %.9g (%lld "
                 "of the residuals of %lld rows and columns are too large)",
                 (long long)r->bad_index, (long long)out->n_elem, r->got,
                 r->expected, (long long)r->n_bad, (long long)r->n_rows);
}

static void check_reals(const struct osw_matmul *job,
                        const struct osw_tolerance_job *allowed,
                        struct osw_product_answer *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_residual r;

    if (osw_residual_check(job, allowed, &r, &err) < 0) {
        refuse(out, err.text);
        return;
    }
    if (r.why[0]) {
        refuse(out, r.why);
        return;
    }
    out->applies = true;
    out->right = r.n_bad == 0 && !osw_residual_is_coarse(&r);
    out->coarse = !out->right && (r.n_bad == 0 || r.everywhere);
    out->first_bad = out->coarse ? -1 : r.bad_index;
    out->nan = r.bad_index >= 0 && !isfinite(r.got);
    out->rms = r.rms;
    out->tol = r.allowed;
    out->of_allowed = r.of_allowed;
    if (!out->right)
        say_residual(&r, out);
}

/* Elements along a dimension without a stride; 1: it has one. */
static double expanded(const struct osw_tensor_desc *t, int32_t dim)
{
    return dim >= 0 && t->strided && t->strides[dim] == 0
               ? fmax((double)t->shape[dim], 1)
               : 1;
}

/* Elements along expanded dimensions that an output does not have.  Those with
 * a stride are taken for the output's first.
 */
static double summed(const struct osw_tensor_desc *t,
                     const struct osw_tensor_desc *out)
{
    bool taken[OSW_MAX_NDIM] = {false};
    double n = 1;

    for (int expand = 0; expand < 2; expand++)
        for (int32_t d = 0; d < t->ndim; d++) {
            int32_t k = 0;

            if ((expanded(t, d) > 1) != expand)
                continue;
            while (k < out->ndim && (taken[k] || out->shape[k] != t->shape[d]))
                k++;
            if (k < out->ndim)
                taken[k] = true;
            else
                n *= expanded(t, d);
        }
    return n;
}

double osw_product_equal(const struct osw_op *op, const struct osw_trial *trial,
                         size_t i, const struct osw_tensor_desc *out)
{
    const struct osw_tensor_desc *t = trial->tensors[i].desc;
    const char *name = trial->args[trial->tensors[i].arg].name;

    if (!op->product.a)
        return summed(t, out);
    if (strcmp(name, op->product.a) == 0)
        return expanded(t, t->ndim - 1);
    if (strcmp(name, op->product.b) == 0)
        return expanded(t, t->ndim > 1 ? t->ndim - 2 : 0);
    return 1;
}

void osw_product_check(const struct osw_op *op, const struct osw_trial *trial,
                       const struct osw_view *got, uint64_t hash,
                       const struct osw_tolerance_job *allowed,
                       struct osw_product_answer *out)
{
    struct osw_view a, b, plus;
    struct osw_matmul job = {
        .c = got, .a = &a, .b = &b, .seed = trial->seed ^ hash};

    *out = (struct osw_product_answer){.n_elem = osw_view_numel(got),
                                       .first_bad = -1,
                                       .rms = NAN,
                                       .tol = NAN,
                                       .of_allowed = NAN};
    if (!op->product.a || !find(trial, op->product.a, &a) ||
        !find(trial, op->product.b, &b)) {
        refuse(out, "op.json names no factors that are tensors of the case");
        return;
    }
    if (op->product.plus[0] && find(trial, op->product.plus, &plus))
        job.plus = &plus;
    if (scaled(trial))
        refuse(out, "alpha and beta must be 1");
    else if (allowed)
        check_reals(&job, allowed, out);
    else
        check_integers(&job, out);
}
