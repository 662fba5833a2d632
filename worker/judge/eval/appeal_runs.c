/* worker/judge/eval/appeal_runs.c - the reference, on perturbed inputs */
#include "worker/judge/eval/appeal_runs.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/parallel.h"

enum {
    FEW = 16, /* jumps that are kept, at least */
    MAX_ELEMENTS = 1 << 24,
    /* They are perturbed on the host, also those of a device: 90 ns an element
     * of a core in all, 3 s for two matrices of 4,096 x 4,096.
     */
    MAX_INPUT_BYTES = 1 << 29,
    MOST_RUNS = 1 + 2 * (OSW_SENSITIVITY_PAIRS + 1) + OSW_SENSITIVITY_LEVELS,
};

/* All runs of the reference together, predicted by one of them. */
#define MAX_NS INT64_C(30000000000)

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

const char osw_appeal_too_large[] =
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

bool osw_appeal_is_too_large(const struct osw_appeal_job *job)
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
        return give_up(r, osw_appeal_too_large);
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

unsigned osw_appeal_threads(const struct osw_place *place)
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

void osw_appeal_run(const struct osw_appeal_job *job)
{
    struct runs r = {.job = job,
                     .appeal = job->oracle->appeal,
                     .reference = job->reference->job(job->reference->arg)};
    struct osw_trial trial;

    r.appeal->asked = true;
    r.n_threads = osw_appeal_threads(job->trial->place);
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
