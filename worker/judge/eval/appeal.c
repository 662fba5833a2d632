/* worker/judge/eval/appeal.c - outputs that the plain tolerance would refuse
 */
#include "worker/judge/eval/appeal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 16 /* elements whose rms says little of their size */ };

/* rms of errors over rms of values: no rounding explains more. */
#define HOPELESS 0x1p-8

/* It and what is expected of it, in the host's memory.  Of complex numbers the
 * parts.
 */
struct host {
    struct osw_view got;
    struct osw_expected want;
    struct osw_view own; /* of the reference, where that is what is expected */
    int64_t n;           /* of want.exact */
    struct osw_tensor_desc parts;
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
    void *memory;
};

/* Bytes from the first element to the end of the last; there is one. */
static uint64_t extent_of(const struct osw_tensor_desc *d)
{
    uint64_t last = 0;

    for (int32_t i = 0; i < d->ndim; i++)
        last += (uint64_t)((d->shape[i] - 1) * d->strides[i]);
    return (last + 1) * osw_dtype_info((int)d->dtype)->bytes;
}

static bool is_complex(const struct osw_tensor_desc *d)
{
    return osw_dtype_info((int)d->dtype)->class == OSW_CLASS_COMPLEX;
}

/* Is its own result expected, since its float64 one may be another function's?
 */
static bool is_beside(const struct osw_appeal_job *job)
{
    return !job->oracle->outputs[job->output].want.exact &&
           !is_complex(job->got->desc);
}

/* The real and imaginary parts as a last dimension, h->parts.  It has room. */
static void describe_parts(const struct osw_tensor_desc *d, struct host *h)
{
    for (int32_t i = 0; i < d->ndim; i++) {
        h->shape[i] = d->shape[i];
        h->strides[i] = 2 * d->strides[i];
    }
    h->shape[d->ndim] = 2;
    h->strides[d->ndim] = 1;
    h->parts =
        (struct osw_tensor_desc){.dtype = d->dtype == OSW_C128  ? OSW_F64
                                          : d->dtype == OSW_C64 ? OSW_F32
                                                                : OSW_F16,
                                 .ndim = d->ndim + 1,
                                 .strided = true,
                                 .shape = h->shape,
                                 .strides = h->strides};
}

static bool bring(const struct osw_appeal_job *job, struct host *h)
{
    const struct osw_oracle_output *o = &job->oracle->outputs[job->output];
    bool complex = is_complex(job->got->desc);
    int64_t n = osw_view_numel(job->got) * (complex ? 2 : 1);
    uint64_t bytes = (uint64_t)n * sizeof(double);
    uint64_t extent = extent_of(job->got->desc);
    uint64_t own = is_beside(job) ? extent_of(&o->desc) : 0;
    const struct osw_place *place = job->trial->place;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *to = malloc(2 * bytes + extent + own);

    h->memory = to;
    if (!to)
        return false;
    h->n = n;
    h->want.exact = (const double *)to;
    h->got = (struct osw_view){.data = to + 2 * bytes, .desc = job->got->desc};
    h->own = (struct osw_view){.data = to + 2 * bytes + extent, &o->desc};
    place->ops->copy(place->device, to, o->exact, bytes);
    if (o->want.norm) {
        place->ops->copy(place->device, to + bytes, o->want.norm, bytes);
        h->want.norm = (const double *)(to + bytes);
    }
    place->ops->copy(place->device, h->got.data, job->got->data, extent);
    if (own > 0)
        place->ops->copy(place->device, h->own.data, o->want.view.data, own);
    if (complex) {
        describe_parts(job->got->desc, h);
        h->got.desc = &h->parts;
    }
    return place->ops->sync(place->device, &err) == 0;
}

/* Are errors too large for rounding to explain them?  Then no runs are needed:
 * this is so for most wrong outputs.  Says so in words.
 */
static bool is_hopeless(const struct osw_appeal_job *job, const struct host *h,
                        const struct osw_errors *e, char *words, size_t size)
{
    const struct osw_oracle_output *o = &job->oracle->outputs[job->output];
    struct osw_tolerance_rounding r = osw_tolerance_rounding(&o->tolerance, 0);
    double most = fmax(HOPELESS, 8 * r.stored), sum_sq = 0, part;

    if (is_beside(job) || /* these are errors of another expected value */
        e->n_bad <= osw_sensitivity_most_jumps(h->n)) /* they may have jumped */
        return false;
    for (int64_t i = 0; i < h->n; i++)
        if (isfinite(h->want.exact[i]))
            sum_sq += h->want.exact[i] * h->want.exact[i];
    part = sqrt(e->sum_sq / sum_sq);
    if (h->n < FEW || sum_sq == 0 || part <= most)
        return false;
    snprintf(words, size,
             "the rms of all errors is %.3g of that of the values, of which "
             "rounding explains %.3g",
             part, most);
    return true;
}

/* Is it to the bit what the reference makes in that dtype, whose result is
 * right by its own float64 one?  That may be asked less strictly.
 */
static bool is_own(const struct osw_appeal_job *job, const struct host *h)
{
    const struct osw_output *o = &job->oracle->outputs[job->output].as_run;
    const struct osw_tensor_desc *d = job->got->desc;
    const unsigned char *own =
        job->oracle->appeal->own ? job->oracle->appeal->own[job->output] : NULL;
    size_t bytes = (size_t)d->ndim * sizeof(*d->shape);

    return own && (int)d->dtype == (int)o->dtype && d->ndim == o->ndim &&
           memcmp(d->shape, o->shape, bytes) == 0 &&
           memcmp(d->strides, o->strides, bytes) == 0 &&
           memcmp(h->got.data, own, (size_t)extent_of(d)) == 0;
}

/* What would be refused: "3 elements of output 0 beyond the tolerance", and
 * why it is not, or what else is to be said of it.
 */
static void say(const struct osw_appeal_job *job, const struct osw_errors *e,
                char *words, size_t size, const char *fmt, ...)
    OSW_PRINTF(5, 6);
static void say(const struct osw_appeal_job *job, const struct osw_errors *e,
                char *words, size_t size, const char *fmt, ...)
{
    int used = e->n_bad == 0
                   ? snprintf(words, size,
                              "the rms of all errors of output %u beyond the "
                              "tolerance",
                              job->output)
                   : snprintf(words, size,
                              "%lld element%s of output %u beyond the "
                              "tolerance",
                              (long long)e->n_bad,
                              osw_plural((uint64_t)e->n_bad), job->output);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words + used, size - (size_t)used, fmt, ap);
    va_end(ap);
}

/* Neighbours of huge numbers say nothing of what rounding explains: each
 * element must be right by one of the reference's two results.
 */
static bool is_right_by_either(const struct osw_appeal_job *job,
                               const struct host *h, const struct osw_errors *e,
                               char *words, size_t size)
{
    const struct osw_oracle_output *o = &job->oracle->outputs[job->output];
    int64_t n_bad =
        osw_compare_neither(&h->got, h->want.exact, &h->own, &o->accept);

    if (n_bad == 0)
        say(job, e, words, size,
            " of the reference in %s, right by its result in float64",
            o->tolerance.dtype->name);
    else
        snprintf(words, size,
                 "%lld element%s of output %u %s wrong by the reference's "
                 "result in float64, too",
                 (long long)n_bad, osw_plural((uint64_t)n_bad), job->output,
                 n_bad == 1 ? "is" : "are");
    return n_bad == 0;
}

static bool judge(const struct osw_appeal_job *job, const struct host *h,
                  const struct osw_errors *e, char *words, size_t size)
{
    const struct osw_appeal *appeal = job->oracle->appeal;
    const struct osw_sensitivity *s =
        appeal->outputs ? &appeal->outputs[job->output] : NULL;
    struct osw_sensitivity_errors found;

    if (is_own(job, h)) {
        say(job, e, words, size,
            " of the reference in float64, to the bit what it makes in %s",
            job->oracle->outputs[job->output].tolerance.dtype->name);
        return true;
    }
    if (!s || !s->amount) {
        snprintf(words, size, "tolerance alone decides: %s",
                 appeal->why[0] ? appeal->why
                                : "no float64 of this output is known");
        return false;
    }
    if (!osw_sensitivity_compare(
            &h->got, &h->want, s, &job->oracle->outputs[job->output].tolerance,
            appeal->bits, osw_appeal_threads(job->trial->place), &found)) {
        snprintf(words, size, "tolerance alone decides: no memory to compare");
        return false;
    }
    if (found.n_bad == 0 && found.rms <= found.limit && found.n_jumped > 0) {
        say(job, e, words, size,
            ", where results jump: rounding explains that %lld %s on the other "
            "side",
            (long long)found.n_jumped, found.n_jumped == 1 ? "is" : "are");
        return true;
    }
    if (found.n_bad == 0 && found.rms <= found.limit) {
        say(job, e, words, size,
            ", %s errors at most %.2g of what rounding explains",
            e->n_bad == 0 ? "single" : "their", found.worst);
        return true;
    }
    snprintf(words, size,
             "the largest error is %.3g times what rounding explains, the rms "
             "of all %.3g times",
             found.worst, found.rms / found.limit);
    return false;
}

bool osw_appeal_accepts(const struct osw_appeal_job *job,
                        const struct osw_errors *e, char *words, size_t size)
{
    const struct osw_oracle_output *o = &job->oracle->outputs[job->output];
    struct host h = {.memory = NULL};
    bool accepts = false;

    words[0] = '\0';
    if (!job->oracle->appeal || o->accept.exact ||
        (o->accept.keep_tiny && !is_beside(job)) ||
        (!o->accept.keep_tiny && e->n_nan > 0) ||
        !osw_dtype_is_floating(o->tolerance.dtype) ||
        (o->tolerance.norms && o->tolerance.trial == OSW_TRIAL_INTEGERS))
        return false;
    if (!o->exact) {
        snprintf(words, size, "tolerance alone decides: %s",
                 job->oracle->note[0] ? job->oracle->note
                                      : "the reference hands over no float64");
        return false;
    }
    if (osw_appeal_is_too_large(job) || job->got->desc->ndim >= OSW_MAX_NDIM) {
        snprintf(words, size, "tolerance alone decides: %s",
                 osw_appeal_too_large);
        return false;
    }
    if (!bring(job, &h)) {
        snprintf(words, size, "tolerance alone decides: no memory to compare");
    } else if (o->accept.keep_tiny) {
        accepts = is_right_by_either(job, &h, e, words, size);
    } else if (!is_hopeless(job, &h, e, words, size)) {
        if (!job->oracle->appeal->asked)
            osw_appeal_run(job);
        accepts = judge(job, &h, e, words, size);
    }
    free(h.memory);
    return accepts;
}
