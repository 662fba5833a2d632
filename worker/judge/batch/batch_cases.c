/* worker/judge/batch/batch_cases.c - which small cases go together, and their
 * inputs */
#include "worker/judge/batch/batch_cases.h"

#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/rounds.h"
#include "worker/judge/inputs/generated.h"

enum {
    SLACK = 32 * 1024, /* of a slice: for sizes not known before */
    N_BATCHES = OSW_JUDGE_BATCHES,
};

/* --- which --- */

static bool is_small(const struct osw_judge *judge, const struct osw_bundle *b)
{
    return !(b->time && judge->config.profile->time) &&
           b->check != OSW_CHECK_FREIVALDS && b->n_impls > 0 && !b->gang;
}

uint32_t osw_batch_count(const struct osw_judge *judge,
                         const struct osw_bundle *bundles, uint32_t n)
{
    uint32_t k = 0;

    if (judge->config.capture)
        return 0;
    while (k < n && is_small(judge, &bundles[k]) &&
           strcmp(bundles[k].op_dir, bundles[0].op_dir) == 0)
        k++;
    return k;
}

static uint64_t slot_of(const struct osw_trial *trial)
{
    return (3 * trial->inputs_bytes + SLACK + OSW_BATCH_PAGE - 1) /
           OSW_BATCH_PAGE * OSW_BATCH_PAGE;
}

/* Calls of an implementation on a case: on its own inputs twice. */
static uint32_t n_steps(const struct osw_small_case *c)
{
    return 1 + c->n_variants;
}

/* Would one more case like that fit, with slices of `slot`? */
static bool fits(const struct osw_batch *b, const struct osw_small_case *c,
                 uint64_t slot)
{
    const struct osw_judge *judge = b->judge;
    uint32_t steps = b->n_steps + n_steps(c);
    uint64_t window = judge->pool.env.window_bytes;

    if (window > judge->pool.host.window_bytes)
        window = judge->pool.host.window_bytes;
    return b->n < OSW_BATCH_CASES && steps <= OSW_PROTOCOL_MAX_STEPS &&
           (steps + 2) * slot <= window / 2 &&
           steps * slot <= judge->places[OSW_ZONE_WINDOW].limit / N_BATCHES;
}

/* --- inputs --- */

/* Outputs are checked one call at a time, so all share this memory. */
static void place_variant(struct osw_batch *b, struct osw_variant *v,
                          uint32_t number)
{
    const struct osw_place *host = &b->judge->places[OSW_ZONE_WINDOW];
    uint64_t at = b->from + number * b->slot;

    v->place = *host;
    v->place.limit = b->slot;
    v->place.image.base = (unsigned char *)host->image.base + at;
    v->place.private.base = (unsigned char *)host->private.base + at;
    v->place.image.bytes = v->place.private.bytes = b->slot;
    v->place.seen.bytes = b->slot;
}

/* Repetition of the random values: 0 for the case's own inputs and for permuted
 * ones, which have the same values; else 1.
 */
static uint32_t rep_of(int kind)
{
    return kind < 0 || kind == OSW_TRIAL_PERMUTED ? 0 : 1;
}

/* False: no element of it may change places. */
static bool permute(const struct osw_trial *trial)
{
    uint64_t random = trial->order;

    return osw_trial_permute(trial, trial->image, &random);
}

/* Fill the case's own inputs with guards, for the reference; of trials' inputs
 * only the tensors.
 */
static bool fill_variant(const struct osw_small_case *c, struct osw_variant *v)
{
    struct osw_trial *trial = &v->inputs.trial;
    struct osw_error err = OSW_ERROR_INIT;

    if (v->inputs.kind < 0)
        return osw_trial_fill(trial, &v->place, 0, &err) == 0;
    if (v->inputs.kind != OSW_TRIAL_PERMUTED)
        return osw_trial_fill_bare(trial, &v->place, 1, NULL, &err) == 0;
    return osw_trial_fill_bare(trial, &v->place, 0,
                               &c->variants[0].inputs.trial, &err) == 0 &&
           (osw_generated_any(trial) ? osw_trial_may_permute(trial)
                                     : permute(trial));
}

/* Beside the case's own inputs those of a trial's turn, if it has any. */
static void plan_trial(struct osw_small_case *c, enum osw_trial_kind kind,
                       unsigned turn)
{
    const struct osw_trial *own = &c->run.own.trial;
    struct osw_inputs *in = &c->variants[c->n_variants].inputs;
    const struct osw_fill *fills =
        osw_trial_has_fills(kind) ? osw_eval_trial_fills(&c->run, kind, turn)
                                  : own->fills;

    if (!fills)
        return;
    *in = (struct osw_inputs){.kind = (int)kind,
                              .trial = osw_trial_of_kind(own, kind, fills)};
    c->n_variants++;
}

/* On which inputs the case is judged; they are not made yet. */
static void plan_variants(struct osw_small_case *c)
{
    const struct osw_trial *own = &c->run.own.trial;

    c->variants[0].inputs = (struct osw_inputs){.kind = -1, .trial = *own};
    c->n_variants = 1;
    for (int i = 0; i < OSW_N_TRIALS; i++) {
        enum osw_trial_kind kind = osw_rounds_trials[i];
        for (unsigned turn = 0; turn < osw_eval_turns(kind); turn++)
            if (c->run.judge->op.trials >> kind & 1)
                plan_trial(c, kind, turn);
    }
}

/* Make them; those that cannot be made are left out. */
static void fill_case(struct osw_batch *b, struct osw_small_case *c)
{
    uint32_t n = c->n_variants;

    c->n_variants = 0;
    for (uint32_t k = 0; k < n; k++) {
        struct osw_variant *v = &c->variants[c->n_variants];

        if (c->n_variants < k)
            *v = c->variants[k];
        place_variant(b, v, c->first_slice + c->n_variants);
        if (fill_variant(c, v))
            c->n_variants++;
        else if (k == 0)
            break;
    }
    c->failed = c->n_variants == 0;
    c->run.own.trial = c->variants[0].inputs.trial;
}

/* Read the case of a bundle; false: it is not for a batch. */
static bool read_case(struct osw_batch *b, struct osw_small_case *c,
                      const struct osw_bundle *bundle)
{
    struct osw_judge *judge = b->judge;
    struct osw_error err = OSW_ERROR_INIT;

    memset(c, 0, sizeof(*c));
    c->run.judge = judge;
    c->run.bundle = bundle;
    c->run.memory = b->memory;
    c->run.own =
        (struct osw_inputs){.kind = -1, .want = {.bytes = NAN, .flops = NAN}};
    c->wrong = osw_arena_array(b->memory, bundle->n_impls, sizeof(*c->wrong));
    if (!(c->wrong && osw_eval_begin(&c->run, &err) == 0 &&
          judge->op.oracle == OSW_ORACLE_INDEPENDENT &&
          !(judge->op.ratio > 0) && judge->op.world <= 1 &&
          osw_trial_make(b->memory, &judge->op, bundle->case_text, bundle->fill,
                         judge->config.seed,
                         judge->places[OSW_ZONE_WINDOW].limit,
                         &c->run.own.trial, &err) == 0 &&
          c->run.own.trial.inputs_bytes <= OSW_WORKER_SMALL_BYTES))
        return false;
    plan_variants(c);
    return true;
}

/* Is there an implementation without a fault so far? */
static bool is_worth_it(const struct osw_judge *judge,
                        const struct osw_bundle *bundle)
{
    for (uint32_t k = 0; k < bundle->n_impls; k++) {
        size_t index = osw_eval_impl_index(&judge->op, bundle->impls[k]);

        if (index != SIZE_MAX && !judge->tried[index].batch_excluded &&
            !osw_judge_is_broken(judge, index))
            return true;
    }
    return false;
}

/* The case is not for the batch: charge the time of its inputs to the next
 * bundle.
 */
static void leave_out(struct osw_batch *b, const struct osw_small_case *c)
{
    b->judge->owed_ns += c->run.shared.fill_ns;
}

/* Take as many of the bundles as fit.  Returns how many are done with, also
 * those that are not for a batch.
 */
uint32_t osw_batch_gather(struct osw_batch *b, const struct osw_bundle *bundles,
                          uint32_t from, uint32_t n, bool **settled)
{
    uint32_t i = from;

    osw_arena_reset(b->memory);
    b->n = b->n_steps = 0;
    b->slot = 0;
    b->sandbox = OSW_NO_SANDBOX;
    b->n_args = 0;
    osw_record_init(&b->spent);
    for (; i < n; i++) {
        struct osw_small_case *c = &b->cases[b->n];
        uint64_t slot;

        /* The next one is most often like the last one. */
        if (b->n > 0 && !fits(b, c - 1, b->slot))
            break;
        if (b->judge->batch_wait > 0) {
            b->judge->batch_wait--;
            continue;
        }
        if (!is_worth_it(b->judge, &bundles[i]))
            continue;
        if (!read_case(b, c, &bundles[i])) {
            leave_out(b, c);
            continue;
        }
        slot = slot_of(&c->run.own.trial);
        if (slot < b->slot)
            slot = b->slot;
        if (!fits(b, c, slot)) {
            leave_out(b, c);
            if (b->n == 0)
                continue;
            break;
        }
        c->settled = settled[i];
        if (c->run.own.trial.n_args > b->n_args)
            b->n_args = (uint32_t)c->run.own.trial.n_args;
        b->slot = slot;
        c->first_slice = b->n_steps;
        b->n_steps += n_steps(c);
        b->n++;
    }
    return i - from;
}

/* Have generators fill their tensors. */
static void draw(struct osw_batch *b)
{
    struct osw_generated_job jobs[OSW_PROTOCOL_MAX_STEPS];
    struct osw_small_case *owners[OSW_PROTOCOL_MAX_STEPS];
    int kinds[OSW_PROTOCOL_MAX_STEPS];
    size_t n = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        struct osw_small_case *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++) {
            struct osw_variant *v = &c->variants[k];

            if (!osw_generated_any(&v->inputs.trial))
                continue;
            owners[n] = c;
            kinds[n] = v->inputs.kind;
            jobs[n++] = (struct osw_generated_job){
                .trial = &v->inputs.trial,
                .rep = rep_of(v->inputs.kind),
                .digest = v->inputs.kind < 0 ? c->run.bundle->digest : 0};
        }
    }
    if (n > 0) { /* a generator may import much: they load meanwhile */
        int64_t t0 = osw_clock_ns(), took;

        osw_judge_ask(b->judge, osw_eval_reference_index(&b->cases[0].run));
        osw_judge_ask(b->judge, 0);
        took = osw_clock_ns() - t0;
        b->spent.build_ns += took; /* and not what fill() takes it for */
        b->spent.fill_ns -= took;
    }
    osw_generated_make(b->judge, jobs, n);
    for (size_t i = 0; i < n; i++)
        if (!jobs[i].ok ||
            (kinds[i] == OSW_TRIAL_PERMUTED && !permute(jobs[i].trial))) {
            owners[i]->failed = true;
            owners[i]->n_variants = 0; /* nothing is asked of it */
        }
}

void osw_batch_fill(struct osw_batch *b)
{
    int64_t t0 = osw_clock_ns();

    for (uint32_t i = 0; i < b->n; i++)
        fill_case(b, &b->cases[i]);
    draw(b);
    b->spent.fill_ns += osw_clock_ns() - t0;
}
