/* worker/judge/eval/appeal.c - outputs that the plain tolerance would refuse
 */
#include "worker/judge/eval/appeal.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/parallel.h"

enum {
    FEW = 16, /* elements whose rms says little of their size */
    MAX_ELEMENTS = 1 << 24,
    /* They are perturbed on the host, also those of a device: 90 ns an element
     * of a core in all, 3 s for two matrices of 4,096 x 4,096.
     */
    MAX_INPUT_BYTES = 1 << 29,
    MOST_RUNS = 1 + 2 * (OSW_SENSITIVITY_PAIRS + 1) + OSW_SENSITIVITY_LEVELS,
};

/* All runs of the reference together, predicted by one of them. */
#define MAX_NS INT64_C(30000000000)

/* rms of errors over rms of values: no rounding explains more. */
#define HOPELESS 0x1p-8

/* --- running the reference again --- */

/* Memory of the runs, all of the host.  Arrays hold all outputs, one after the
 * other; pointers [n_outputs] point into them, NULL where an output has no
 * float64.
 */
struct runs {
    const struct osw_appeal_job *job;
    struct osw_oracle_job reference;
    struct osw_appeal *appeal;
    unsigned char *inputs, *image; /* [inputs_bytes] as they are; perturbed */
    unsigned n_threads;
    int64_t n;
    double *base, *plus, *minus; /* [n] */
    struct osw_sensitivity_sums sums;
    struct osw_sensitivity_jump *jumps; /* [n_jumps] in the arena, of all */
    int64_t n_jumps;
    uint8_t *levels; /* [n] */
    double **base_of, **plus_of, **minus_of;
};

static bool give_up(struct runs *r, const char *why)
{
    snprintf(r->appeal->why, sizeof(r->appeal->why), "%s", why);
    return false;
}

/* Doubles that the reference hands over: two of a complex element. */
static int64_t n_of(const struct runs *r, uint32_t i)
{
    return osw_output_n_exact(&r->job->oracle->outputs[i].as_run);
}

static bool is_known(const struct runs *r, uint32_t i)
{
    return r->job->oracle->outputs[i].exact != NULL;
}

static const char too_large[] =
    "the case is too large to run the reference on perturbed inputs";

/* Would so many runs of `ns` take too long?  Then say so. */
static bool is_too_slow(struct runs *r, int64_t ns)
{
    if (ns <= MAX_NS / MOST_RUNS)
        return false;
    snprintf(r->appeal->why, sizeof(r->appeal->why),
             "up to %d runs of the reference on perturbed inputs, %.1f s each, "
             "would take more than %d s",
             (int)MOST_RUNS, (double)ns * 1e-9, (int)(MAX_NS / 1000000000));
    return true;
}

/* Is the case too large for an appeal, even with a fast reference? */
static bool is_too_large(const struct osw_appeal_job *job)
{
    return osw_view_numel(job->got) > MAX_ELEMENTS ||
           job->trial->inputs_bytes > MAX_INPUT_BYTES;
}

/* Is the reference fast enough for so many runs? */
static bool is_affordable(struct runs *r)
{
    const struct osw_oracle_result *oracle = r->job->oracle;
    double flops = isnan(oracle->flops) ? r->reference.flops : oracle->flops;

    for (uint32_t i = 0; i < oracle->n_outputs; i++)
        if (is_known(r, i))
            r->n += n_of(r, i);
    if (!r->reference.sandbox)
        return give_up(r, "the reference cannot be started again");
    if (r->n == 0)
        return give_up(r, oracle->note[0]
                              ? oracle->note
                              : "the reference hands over no float64");
    if (r->n > MAX_ELEMENTS || flops > r->job->reference->flops)
        return give_up(r, too_large);
    /* A first call may have loaded and compiled much: the next one decides. */
    return oracle->call_ns <= MAX_NS || !is_too_slow(r, oracle->call_ns);
}

static bool get_memory(struct runs *r)
{
    size_t n = (size_t)r->n, bytes = (size_t)r->job->trial->inputs_bytes;
    uint32_t n_outputs = r->job->oracle->n_outputs;
    int64_t at = 0;

    r->inputs = malloc(2 * bytes + 1);
    r->base = calloc(5 * n, sizeof(*r->base));
    r->levels = calloc(n, 1);
    r->base_of = calloc(3 * (size_t)n_outputs, sizeof(*r->base_of));
    if (!r->inputs || !r->base || !r->levels || !r->base_of)
        return give_up(r, "no memory for perturbed inputs");
    r->image = r->inputs + bytes;
    r->plus = r->base + n;
    r->minus = r->plus + n;
    r->sums.sq = r->minus + n;
    r->sums.bent = r->sums.sq + n;
    r->plus_of = r->base_of + n_outputs;
    r->minus_of = r->plus_of + n_outputs;
    for (uint32_t i = 0; i < n_outputs; i++)
        if (is_known(r, i)) {
            r->base_of[i] = r->base + at;
            r->plus_of[i] = r->plus + at;
            r->minus_of[i] = r->minus + at;
            at += n_of(r, i);
        }
    return true;
}

/* Room for its own results, kept as long as the appeal; without memory they are
 * not known.  Native code that hands over float64 need not write them.
 */
static void get_own(struct runs *r)
{
    const struct osw_oracle_result *oracle = r->job->oracle;
    osw_arena_t *memory = r->job->reference->memory;
    unsigned char **own =
        r->reference.sandbox->traits.own_outputs
            ? osw_arena_array(memory, oracle->n_outputs, sizeof(*own))
            : NULL;

    for (uint32_t i = 0; own && i < oracle->n_outputs; i++) {
        int64_t bytes = osw_output_extent(&oracle->outputs[i].as_run);

        if (is_known(r, i))
            own[i] = osw_arena_alloc(memory, (size_t)bytes);
    }
    r->appeal->own = own;
}

static void free_memory(struct runs *r)
{
    free(r->inputs);
    free(r->base);
    free(r->levels);
    free(r->base_of);
}

/* Bring inputs and expected values to the host. */
static bool copy_in(struct runs *r)
{
    const struct osw_trial *trial = r->job->trial;
    struct osw_place *place = trial->place;
    struct osw_error err = OSW_ERROR_INIT;

    place->ops->copy(place->device, r->inputs, trial->image,
                     trial->inputs_bytes);
    for (uint32_t i = 0; i < r->job->oracle->n_outputs; i++)
        if (is_known(r, i))
            place->ops->copy(place->device, r->base_of[i],
                             r->job->oracle->outputs[i].exact,
                             (uint64_t)n_of(r, i) * sizeof(double));
    for (size_t i = 0; i < trial->n_tensors; i++)
        r->appeal->bits = osw_sensitivity_bits(r->appeal->bits,
                                               trial->tensors[i].desc->dtype);
    return place->ops->sync(place->device, &err) == 0 || give_up(r, err.text);
}

/* Threads of the host for a case of that place.  On a processor cells of other
 * workers are timed at the same time.
 */
static unsigned threads_beside(const struct osw_place *place)
{
    return strcmp(place->ops->kind, "cpu") == 0 ? 1 : osw_parallel_threads();
}

static void perturb(const struct runs *r, const struct osw_sensitivity_run *run)
{
    const struct osw_trial *trial = r->job->trial;

    memcpy(r->image, r->inputs, (size_t)trial->inputs_bytes);
    for (size_t i = 0; run && i < trial->n_tensors; i++) {
        const struct osw_trial_tensor *t = &trial->tensors[i];

        osw_sensitivity_perturb(run, r->appeal->bits, t->desc->dtype,
                                (uint32_t)i, r->n_threads, r->image + t->offset,
                                t->extent);
    }
}

/* Was it killed, which is rarely its own fault?  Then start it again. */
static bool revive(struct runs *r)
{
    const struct osw_sandbox *sandbox = r->reference.sandbox;
    struct osw_oracle_job again;

    if (osw_sandbox_alive(sandbox) || sandbox->end.signal != SIGKILL)
        return false;
    again = r->job->reference->job(r->job->reference->arg);
    r->reference.sandbox = again.sandbox;
    return again.sandbox != NULL;
}

/* One run into values_of; run NULL: on the inputs as they are, also of what it
 * makes in the outputs' dtypes.  *ns, if not NULL: what it took, less waits for
 * a core.
 */
static bool run_on(struct runs *r, const struct osw_sensitivity_run *run,
                   double *const *values_of, int64_t *ns)
{
    unsigned char *const *own = run ? NULL : r->appeal->own;

    for (int i = 0; i < 2; i++) {
        int64_t waited_ns = 0, t0 = osw_clock_ns();

        if (ns)
            waited_ns = osw_sandbox_waited_ns(r->reference.sandbox);
        perturb(r, run);
        if (osw_oracle_again(&r->reference, r->image, r->job->oracle, values_of,
                             own, r->appeal->why, sizeof(r->appeal->why))) {
            if (ns)
                *ns = osw_clock_ns() - t0 + waited_ns -
                      osw_sandbox_waited_ns(r->reference.sandbox);
            return true;
        }
        if (!revive(r))
            return false;
    }
    return false;
}

/* A pair of runs; false, with the reason, when one fails. */
static bool run_pair(struct runs *r, struct osw_sensitivity_run *run)
{
    run->backwards = false;
    if (!run_on(r, run, r->plus_of, NULL))
        return false;
    run->backwards = true;
    return run_on(r, run, r->minus_of, NULL);
}

/* What jumps, and what only seemed to; without memory no jump is known. */
static bool find_jumps(struct runs *r, struct osw_sensitivity_run run)
{
    int64_t most = FEW + r->n / FEW;

    run.wide = true;
    if (!run_pair(r, &run))
        return false;
    osw_sensitivity_unbend(r->base, r->plus, r->minus, r->n, r->appeal->bits,
                           &r->sums);
    r->jumps = osw_arena_array(r->job->reference->memory, (size_t)most,
                               sizeof(*r->jumps));
    if (r->jumps)
        r->n_jumps = osw_sensitivity_find_jumps(r->base, r->plus, r->minus,
                                                r->n, most, r->jumps);
    return true;
}

/* Make all runs; false, with the reason, when they do not give a sensitivity.
 */
static bool run_all(struct runs *r)
{
    struct osw_sensitivity_run run = {.seed = r->job->trial->seed};
    int64_t ns;
    bool any = true;
    double noise;

    if (r->appeal->bits == 0)
        return give_up(r, "no input is floating");
    if (!run_on(r, NULL, r->plus_of, &ns) || is_too_slow(r, ns))
        return false;
    noise = osw_sensitivity_noise(r->base, r->plus, r->n, r->appeal->bits);
    if (isnan(noise))
        return give_up(r, "the reference is not deterministic: two runs on "
                          "the same inputs differ");
    for (int i = 0; i < OSW_SENSITIVITY_PAIRS; i++, run.seed++) {
        if (!run_pair(r, &run))
            return false;
        osw_sensitivity_add_pair(r->base, r->plus, r->minus, r->n, r->n_threads,
                                 &r->sums);
    }
    if (!find_jumps(r, run))
        return false;
    run.backwards = false;
    for (int i = 1; i <= OSW_SENSITIVITY_LEVELS && any; i++, run.seed++) {
        run.level = i;
        if (!run_on(r, &run, r->plus_of, NULL))
            return false;
        any = osw_sensitivity_add_level(r->base, r->plus, r->n, noise,
                                        r->n_threads, r->levels) > 0;
    }
    return true;
}

/* Those of the output whose elements begin at `at`, counted from there. */
static void take_jumps(struct runs *r, int64_t at, struct osw_sensitivity *s)
{
    int64_t from = 0;

    if (r->n_jumps == 0)
        return;
    while (from < r->n_jumps && r->jumps[from].at < at)
        from++;
    s->jumps = r->jumps + from;
    for (; from < r->n_jumps && r->jumps[from].at < at + s->n; from++) {
        r->jumps[from].at -= at;
        s->n_jumps++;
    }
}

/* Keep the results of the runs, for all implementations. */
static void keep(struct runs *r)
{
    uint32_t n_outputs = r->job->oracle->n_outputs;
    osw_arena_t *memory = r->job->reference->memory;
    struct osw_sensitivity *all =
        osw_arena_array(memory, n_outputs, sizeof(*all));

    for (uint32_t i = 0; all && i < n_outputs; i++) {
        struct osw_sensitivity *s = &all[i];
        struct osw_sensitivity_sums sums;
        int64_t at;

        if (!r->base_of[i])
            continue;
        at = r->base_of[i] - r->base;
        s->n = n_of(r, i);
        s->amount = osw_arena_array(memory, (size_t)s->n, sizeof(float));
        s->growth = osw_arena_array(memory, (size_t)s->n, sizeof(float));
        if (!s->amount || !s->growth)
            return;
        take_jumps(r, at, s);
        sums =
            (struct osw_sensitivity_sums){r->sums.sq + at, r->sums.bent + at};
        osw_sensitivity_finish(r->base + at, &sums, r->levels + at,
                               r->appeal->bits, r->n_threads, s);
    }
    r->appeal->outputs = all;
}

static void ask(const struct osw_appeal_job *job)
{
    struct runs r = {.job = job,
                     .appeal = job->oracle->appeal,
                     .reference = job->reference->job(job->reference->arg)};
    struct osw_trial trial;

    r.appeal->asked = true;
    r.n_threads = threads_beside(job->trial->place);
    trial = *job->trial;
    r.reference.trial_inputs = &trial;
    r.reference.trial = job->oracle->outputs[job->output].tolerance.trial;
    if (is_affordable(&r) && get_memory(&r) && copy_in(&r)) {
        get_own(&r);
        if (run_all(&r))
            keep(&r);
    }
    free_memory(&r);
}

/* --- one output --- */

/* It and what is expected of it, in the host's memory.  Of complex numbers the
 * parts.
 */
struct host {
    struct osw_view got;
    struct osw_expected want;
    int64_t n; /* of want.exact */
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
    const struct osw_place *place = job->trial->place;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *to = malloc(2 * bytes + extent);

    h->memory = to;
    if (!to)
        return false;
    h->n = n;
    h->want.exact = (const double *)to;
    h->got = (struct osw_view){.data = to + 2 * bytes, .desc = job->got->desc};
    place->ops->copy(place->device, to, o->exact, bytes);
    if (o->want.norm) {
        place->ops->copy(place->device, to + bytes, o->want.norm, bytes);
        h->want.norm = (const double *)(to + bytes);
    }
    place->ops->copy(place->device, to + 2 * bytes, job->got->data, extent);
    if (complex) {
        describe_parts(job->got->desc, h);
        h->got.desc = &h->parts;
    }
    return place->ops->sync(place->device, &err) == 0;
}

/* Are errors too large for rounding to explain them?  Then no runs are needed:
 * this is so for most wrong outputs.
 */
static bool is_hopeless(const struct osw_appeal_job *job, const struct host *h,
                        const struct osw_errors *e)
{
    const struct osw_oracle_output *o = &job->oracle->outputs[job->output];
    struct osw_tolerance_rounding r = osw_tolerance_rounding(&o->tolerance, 0);
    bool beside = !o->want.exact && !is_complex(job->got->desc);
    double sum_sq = 0;

    if (beside || /* these are errors of another expected value */
        e->n_bad <= osw_sensitivity_most_jumps(h->n)) /* they may have jumped */
        return false;
    for (int64_t i = 0; i < h->n; i++)
        if (isfinite(h->want.exact[i]))
            sum_sq += h->want.exact[i] * h->want.exact[i];
    return h->n >= FEW &&
           !(sqrt(e->sum_sq) <= fmax(HOPELESS, 8 * r.stored) * sqrt(sum_sq));
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

static bool judge(const struct osw_appeal_job *job, const struct host *h,
                  const struct osw_errors *e, char *words, size_t size)
{
    const struct osw_appeal *appeal = job->oracle->appeal;
    const struct osw_sensitivity *s =
        appeal->outputs ? &appeal->outputs[job->output] : NULL;
    struct osw_sensitivity_errors found;

    if (is_own(job, h)) {
        snprintf(words, size,
                 "%lld element%s of output %u beyond the tolerance of the "
                 "reference in float64, to the bit what it makes in %s",
                 (long long)e->n_bad, osw_plural((uint64_t)e->n_bad),
                 job->output,
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
            appeal->bits, threads_beside(job->trial->place), &found)) {
        snprintf(words, size, "tolerance alone decides: no memory to compare");
        return false;
    }
    if (found.n_bad == 0 && found.rms <= found.limit && found.n_jumped > 0) {
        snprintf(words, size,
                 "%lld element%s of output %u beyond the tolerance, where "
                 "results jump: rounding explains that %lld %s on the other "
                 "side",
                 (long long)e->n_bad, osw_plural((uint64_t)e->n_bad),
                 job->output, (long long)found.n_jumped,
                 found.n_jumped == 1 ? "is" : "are");
        return true;
    }
    if (found.n_bad == 0 && found.rms <= found.limit) {
        snprintf(words, size,
                 "%lld element%s of output %u beyond the tolerance, their "
                 "errors at most %.2g of what rounding explains",
                 (long long)e->n_bad, osw_plural((uint64_t)e->n_bad),
                 job->output, found.worst);
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
    if (!job->oracle->appeal || o->accept.exact || o->accept.keep_tiny ||
        !osw_dtype_is_floating(o->tolerance.dtype) || e->n_nan > 0 ||
        (o->tolerance.norms && o->tolerance.trial == OSW_TRIAL_INTEGERS))
        return false;
    if (!o->exact) {
        snprintf(words, size, "tolerance alone decides: %s",
                 job->oracle->note[0] ? job->oracle->note
                                      : "the reference hands over no float64");
        return false;
    }
    if (is_too_large(job) || job->got->desc->ndim >= OSW_MAX_NDIM) {
        snprintf(words, size, "tolerance alone decides: %s", too_large);
        return false;
    }
    if (bring(job, &h) && !is_hopeless(job, &h, e)) {
        if (!job->oracle->appeal->asked)
            ask(job);
        accepts = judge(job, &h, e, words, size);
    }
    free(h.memory);
    return accepts;
}
