/* worker/judge/compare/terms.c - what is summed to an element, from the inputs
 */
#include "worker/judge/compare/terms.h"

#include <math.h>

#include "ops/notation/tensor.h"
#include "worker/judge/compare/product.h"
#include "worker/judge/compare/sensitivity.h"

/* An input of fewer elements than the largest one has by that factor. */
enum { SMALL = 4 };

/* Elements of all inputs and of all outputs, of the largest input, and of the
 * longest dimension of one.
 */
struct sizes {
    double inputs, outputs, largest, longest;
};

static struct sizes sizes_of(const struct osw_terms_job *job)
{
    struct sizes s = {.outputs = job->n_output, .longest = 1};

    for (size_t i = 0; i < job->inputs->n_tensors; i++) {
        const struct osw_tensor_desc *t = job->inputs->tensors[i].desc;
        double n = (double)osw_tensor_numel(t->ndim, t->shape);

        s.inputs += n;
        s.largest = fmax(s.largest, n);
        for (int32_t d = 0; d < t->ndim; d++)
            s.longest = fmax(s.longest, (double)t->shape[d]);
    }
    return s;
}

/* May an element be made of a whole row, as that of a running sum?  An output
 * is as large as an input then, whatever else is returned (the mean of a layer
 * norm), and it is no product.
 */
static bool is_of_rows(const struct osw_terms_job *job, const struct sizes *s)
{
    return job->n_largest >= s->largest && job->n_largest <= s->inputs &&
           !job->op->product.a;
}

/* From the number of operations, if known (a multiply-add counts as two), else
 * from the sizes.  If that gives one, or nothing since an element depends on a
 * row, the largest dimension.
 */
static double terms_of(const struct osw_terms_job *job, const struct sizes *s)
{
    double terms;

    if (s->outputs == 0)
        return 1;
    terms = (isnan(job->flops) ? s->inputs : fmax(job->flops / 2, s->inputs)) /
            s->outputs;
    if (job->collective) /* a term of each rank, unless flops says more */
        return fmax(terms, 1);
    return terms < 2            ? s->longest
           : is_of_rows(job, s) ? fmax(terms, s->longest)
                                : terms;
}

/* How often an expanded tensor has each of its elements. */
static double repeats_of(const struct osw_tensor_desc *t)
{
    double n = 1;

    for (int32_t d = 0; t->strided && d < t->ndim; d++)
        if (t->strides[d] == 0 && t->shape[d] > 1)
            n *= (double)t->shape[d];
    return n;
}

/* Are the inputs that are summed constant?  A bias that is added is small. */
static bool is_constant(const struct osw_trial *trial, const struct sizes *s)
{
    bool any = false;

    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_tensor_desc *t = trial->tensors[i].desc;

        if (!osw_dtype_is_floating(osw_dtype_info((int)t->dtype)) ||
            SMALL * (double)osw_tensor_numel(t->ndim, t->shape) < s->largest)
            continue;
        if (trial->fills[i].kind != OSW_FILL_CONSTANT)
            return false;
        any = true;
    }
    return any;
}

struct osw_tolerance_job osw_terms_of_case(const struct osw_terms_job *job)
{
    const struct osw_trial *trial = job->inputs;
    struct sizes sizes = sizes_of(job);
    struct osw_tolerance_job t = {
        .op = job->op,
        .centred = true,
        .terms = terms_of(job, &sizes),
        /* All elements of a row share a sum over the row. */
        .repeats =
            is_of_rows(job, &sizes) && !job->collective ? sizes.longest : 1,
    };

    for (size_t i = 0; i < trial->n_tensors; i++) {
        const struct osw_dtype_info *dtype =
            osw_dtype_info((int)trial->tensors[i].desc->dtype);

        if (!osw_dtype_is_floating(dtype))
            continue;
        t.centred = t.centred && osw_trial_is_centred(&trial->fills[i]);
        t.special = t.special || trial->fills[i].kind == OSW_FILL_SPECIAL;
        t.short_inputs = t.short_inputs || dtype->bytes == 2;
        t.finest = osw_sensitivity_finest(t.finest, dtype->id);
        t.repeats *= repeats_of(trial->tensors[i].desc);
    }
    t.constant = is_constant(trial, &sizes);
    if (t.constant)
        t.equal = t.terms;
    return t;
}

double osw_terms_equal(const struct osw_terms_job *job,
                       const struct osw_tensor_desc *output)
{
    const struct osw_trial *trial = job->inputs;
    double most = 0;

    for (size_t i = 0; i < trial->n_tensors; i++)
        if (osw_dtype_is_floating(
                osw_dtype_info((int)trial->tensors[i].desc->dtype)))
            most = fmax(most, osw_product_equal(job->op, trial, i, output));
    return most;
}
