/* worker/judge/eval/batch.c - small cases of one op, many at a time */
#include "worker/judge/eval/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/eval.h"
#include "worker/judge/inputs/generated.h"

enum {
    MAX_CASES = 32,
    MAX_PAUSE = 256,
    N_VARIANTS = 1 + OSW_N_TRIALS,
    SLACK = 32 * 1024, /* of a slice: for what is not known ahead */
    N_BATCHES = OSW_JUDGE_BATCHES,
    PAGE = 4096,
};
/* Of all calls of a batch; who needs longer is judged alone. */
#define DEADLINE_NS INT64_C(2000000000)

/* A case on one set of inputs: its own, or those of a trial. */
struct variant {
    int kind; /* enum osw_trial_kind; -1: its own */
    struct osw_place place;
    struct osw_trial trial;
    struct osw_oracle_result want;
    struct osw_verdict_job job;
};

struct small {
    struct osw_eval run;
    bool *settled; /* [n_impls] cells that have their verdict */
    bool *wrong;   /* [n_impls] not all is well, in the arena */
    bool failed;   /* all are to be judged alone */
    uint32_t n_variants;
    struct variant variants[N_VARIANTS];
    struct osw_verdict_layout layout;
};

/* Cases that go through together.  Step i of a message has slice i. */
struct batch {
    struct osw_judge *judge;
    struct batch *all; /* [N_BATCHES] of which it is one */
    osw_arena_t *memory;
    struct small *cases; /* [MAX_CASES] */
    uint32_t n;
    uint64_t slot;               /* bytes of a slice, and of a place */
    uint64_t from;               /* of its places, in the judge's maps */
    struct osw_sandbox *sandbox; /* that has been asked; NULL: none */
    uint32_t asked;              /* steps of that message */
    bool half; /* of the window, where slices of this batch lie */
    struct osw_writer message; /* to the implementation, written ahead */
    struct osw_record spent;   /* phases, of all cases */
};

/* --- which --- */

static bool is_small(const struct osw_judge *judge, const struct osw_bundle *b)
{
    return !(b->time && judge->config.profile->time) &&
           b->check != OSW_CHECK_FREIVALDS && b->n_impls > 0;
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
    return (3 * trial->inputs_bytes + SLACK + PAGE - 1) / PAGE * PAGE;
}

/* Calls of a case, about. */
static uint32_t n_steps(const struct osw_judge *judge)
{
    return 2 + (uint32_t)__builtin_popcount(judge->op.trials);
}

/* Where slices begin in a sandbox's window: behind the memory that host code
 * works in; and for every other batch in the second half, so that one can be
 * looked at while the next is worked on.
 */
static uint64_t first_slice(const struct batch *b,
                            const struct osw_sandbox *sandbox)
{
    uint64_t first = b->half ? sandbox->window.bytes / 2 / PAGE * PAGE : 0;

    return first + (sandbox->env->device->ops->own_memory ? 0 : b->slot);
}

/* Would `n` cases with slices of `slot` fit everything? */
static bool fits(const struct batch *b, uint32_t n, uint64_t slot)
{
    const struct osw_judge *judge = b->judge;
    uint32_t steps = n * n_steps(judge);
    uint64_t window = judge->pool.env.window_bytes;

    if (window > judge->pool.host.window_bytes)
        window = judge->pool.host.window_bytes;
    return n <= MAX_CASES && steps <= OSW_PROTOCOL_MAX_STEPS &&
           (steps + 2) * slot <= window / 2 &&
           steps * slot <= judge->places[OSW_ZONE_WINDOW].limit / N_BATCHES;
}

/* --- inputs --- */

static void place_variant(struct batch *b, struct variant *v, uint32_t number)
{
    const struct osw_place *host = &b->judge->places[OSW_ZONE_WINDOW];
    uint64_t at = b->from + number * b->slot;

    v->place = *host;
    v->place.limit = b->slot;
    v->place.image.base = (unsigned char *)host->image.base + at;
    v->place.private.base = (unsigned char *)host->private.base + at;
    v->place.image.bytes = v->place.private.bytes = b->slot;
}

/* Is it drawn anew? */
static uint32_t rep_of(int kind)
{
    return kind < 0 || kind == OSW_TRIAL_PERMUTED ? 0 : 1;
}

/* One more set of inputs; false when they cannot be made. */
static bool add_variant(struct batch *b, struct small *c, int kind,
                        const struct osw_fill *fills)
{
    uint32_t number =
        (uint32_t)(c - b->cases) * n_steps(b->judge) + c->n_variants;
    struct variant *v = &c->variants[c->n_variants];
    struct osw_error err = OSW_ERROR_INIT;

    v->kind = kind;
    v->trial = c->run.trial;
    if (fills)
        v->trial.fills = fills;
    place_variant(b, v, number);
    if (osw_trial_fill(&v->trial, &v->place, rep_of(kind), &err) < 0 ||
        (kind == OSW_TRIAL_PERMUTED &&
         !osw_trial_permute(&v->trial, v->trial.image, &b->judge->random)))
        return false;
    c->n_variants++;
    return true;
}

static void fill_case(struct batch *b, struct small *c)
{
    if (!add_variant(b, c, -1, NULL)) {
        c->failed = true;
        return;
    }
    c->run.trial = c->variants[0].trial;
    for (int i = 0; i < OSW_N_TRIALS; i++) {
        enum osw_trial_kind kind = osw_eval_trial_order[i];
        const struct osw_fill *fills;

        if (!(b->judge->op.trials >> kind & 1))
            continue;
        fills = osw_eval_trial_fills(&c->run, kind);
        if (fills || !osw_trial_has_fills(kind))
            (void)add_variant(b, c, kind, fills);
    }
}

/* Read the case of a bundle; false: it is not for a batch. */
static bool read_case(struct batch *b, struct small *c,
                      const struct osw_bundle *bundle)
{
    struct osw_judge *judge = b->judge;
    struct osw_error err = OSW_ERROR_INIT;

    memset(c, 0, sizeof(*c));
    c->run.judge = judge;
    c->run.bundle = bundle;
    c->run.memory = b->memory;
    c->run.oracle = (struct osw_oracle_result){.bytes = NAN, .flops = NAN};
    c->wrong = osw_arena_array(b->memory, bundle->n_impls, sizeof(*c->wrong));
    return c->wrong && osw_eval_begin(&c->run, &err) == 0 &&
           judge->op.oracle == OSW_ORACLE_INDEPENDENT &&
           !(judge->op.ratio > 0) &&
           osw_trial_make(b->memory, &judge->op, bundle->case_text,
                          bundle->fill, judge->config.seed,
                          judge->places[OSW_ZONE_WINDOW].limit, &c->run.trial,
                          &err) == 0 &&
           c->run.trial.inputs_bytes <= OSW_WORKER_SMALL_BYTES;
}

/* Is there an implementation of which all was well so far? */
static bool is_worth_it(const struct osw_judge *judge,
                        const struct osw_bundle *bundle)
{
    for (uint32_t k = 0; k < bundle->n_impls; k++) {
        size_t index = osw_eval_impl_index(&judge->op, bundle->impls[k]);

        if (index != SIZE_MAX && !judge->batch_excluded[index] &&
            !osw_judge_is_broken(judge, index))
            return true;
    }
    return false;
}

/* What was charged to it is owed again. */
static void leave_out(struct batch *b, const struct small *c)
{
    b->judge->owed_ns += c->run.shared.fill_ns;
}

/* Take as many of the bundles as fit.  Returns how many are done with, also
 * those that are not for a batch.
 */
static uint32_t gather(struct batch *b, const struct osw_bundle *bundles,
                       uint32_t from, uint32_t n, bool **settled)
{
    uint32_t i = from;

    osw_arena_reset(b->memory);
    b->n = 0;
    b->slot = 0;
    b->sandbox = NULL;
    osw_record_init(&b->spent);
    for (; i < n; i++) {
        struct small *c = &b->cases[b->n];
        uint64_t slot;

        if (!fits(b, b->n + 1, b->slot))
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
        slot = slot_of(&c->run.trial);
        if (slot < b->slot)
            slot = b->slot;
        if (!fits(b, b->n + 1, slot)) {
            leave_out(b, c);
            if (b->n == 0)
                continue;
            break;
        }
        c->settled = settled[i];
        b->slot = slot;
        b->n++;
    }
    return i - from;
}

/* --- asking --- */

static uint64_t slice_at(const struct batch *b,
                         const struct osw_sandbox *sandbox, uint32_t step)
{
    return first_slice(b, sandbox) + step * b->slot;
}

static struct osw_zone_memory slice_of(const struct batch *b,
                                       const struct osw_sandbox *sandbox,
                                       uint32_t step)
{
    return (struct osw_zone_memory){(unsigned char *)sandbox->window.base +
                                        slice_at(b, sandbox, step),
                                    b->slot, 0};
}

static void put_step(const struct batch *b, const struct osw_sandbox *sandbox,
                     uint32_t step, bool again, unsigned char pattern,
                     struct osw_writer *w)
{
    osw_protocol_put_step(w,
                          &(struct osw_step){.at = slice_at(b, sandbox, step),
                                             .bytes = b->slot,
                                             .again = again,
                                             .pattern = pattern});
}

/* A sandbox for file `index` of the op, kept while it works; NULL: none. */
static struct osw_sandbox *take_sandbox(struct batch *b, size_t index)
{
    enum osw_state state;
    char text[64];
    struct osw_sandbox *sandbox = osw_judge_sandbox(
        b->judge, index, &b->spent.build_ns, &state, text, sizeof(text));

    if (!sandbox)
        return NULL;
    sandbox->zone = OSW_ZONE_WINDOW;
    sandbox->case_id = 0;
    sandbox->mixed = true;
    return sandbox;
}

/* It is not to be used again, by whichever batch. */
static void drop_sandbox(struct batch *b)
{
    struct osw_sandbox *sandbox = b->sandbox;

    for (int i = 0; i < N_BATCHES; i++)
        if (b->all[i].sandbox == sandbox)
            b->all[i].sandbox = NULL;
    osw_pool_drop(&b->judge->pool, sandbox);
}

static void leave_sandbox(struct batch *b)
{
    struct osw_sandbox *sandbox = b->sandbox;
    bool used = false;

    b->sandbox = NULL;
    for (int i = 0; i < N_BATCHES; i++)
        used = used || b->all[i].sandbox == sandbox;
    if (sandbox && !used)
        sandbox->pinned = false;
}

static void begin_message(struct batch *b)
{
    b->message.used = 0;
    b->message.overrun = false;
    osw_write_u8(&b->message, OSW_TALK_STEPS);
    osw_write_u32(&b->message, 0); /* their number, later */
}

/* Of so many steps. */
static void end_message(struct batch *b, uint32_t n)
{
    memcpy(b->message.data + 1, &n, sizeof(n));
    b->asked = n;
}

/* Send it to the sandbox that it was made for; if there are no steps, or they
 * did not fit, nothing.
 */
static void send_message(struct batch *b)
{
    if (!b->sandbox)
        return;
    if (b->asked > 0 && !b->message.overrun) {
        (void)osw_sandbox_take_output(b->sandbox); /* of others */
        b->sandbox->pinned = true;
        if (osw_sandbox_send(b->sandbox, &b->message) == 0)
            return;
    }
    leave_sandbox(b);
}

/* Their results, in judge->results; false: there are none, whatever happened,
 * and the sandbox is not to be used again.
 */
static bool receive(struct batch *b)
{
    struct osw_judge *judge = b->judge;
    int64_t deadline = b->cases[0].run.deadline_ns;
    uint64_t hashes[OSW_PROTOCOL_MAX_STEPS];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;
    uint32_t n;

    if (!b->sandbox ||
        osw_sandbox_receive(b->sandbox, OSW_TALK_RESULTS,
                            deadline < DEADLINE_NS ? deadline : DEADLINE_NS,
                            &r) < 0)
        return false;
    n = osw_read_u32(&r);
    if (n == 0 || n != b->asked)
        goto useless;
    for (uint32_t i = 0; i < n; i++)
        hashes[i] = osw_read_u64(&r);
    for (uint32_t i = 0; i < n; i++) {
        struct osw_result *result = &judge->results[i];

        if (osw_protocol_get_result_part(&r, b->slot, result, &err) < 0)
            goto useless;
        result->hash = hashes[i];
    }
    if (osw_reader_done(&r) && osw_sandbox_take_output(b->sandbox)[0] == '\0')
        return true;
useless:
    drop_sandbox(b);
    return false;
}

static void fail_all(struct batch *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        b->cases[i].failed = true;
}

/* --- the reference --- */

static void ask_reference(struct batch *b)
{
    struct osw_writer *w = &b->message;
    uint32_t n = 0;

    if (b->n == 0)
        return;
    b->sandbox = take_sandbox(b, osw_eval_reference_index(&b->cases[0].run));
    if (!b->sandbox)
        return;
    begin_message(b);
    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++, n++) {
            struct osw_trial *trial = &c->variants[k].trial;
            struct osw_oracle_job job =
                osw_eval_oracle_job(&c->run, b->sandbox);
            struct osw_zone_memory slice = slice_of(b, b->sandbox, n);

            put_step(b, b->sandbox, n, k > 0, OSW_GUARD_BYTE, w);
            if (k == 0)
                c->failed = !osw_oracle_put(&job, slice, w, &c->run.oracle);
            else
                memcpy(slice.base, trial->image, trial->inputs_bytes);
            w->overrun = w->overrun || c->failed;
        }
    }
    end_message(b, n);
    send_message(b);
}

/* What it made of variant k. */
static void take_expected(struct batch *b, struct small *c, uint32_t k,
                          uint32_t step)
{
    struct variant *v = &c->variants[k];
    struct osw_oracle_job job = osw_eval_oracle_job(&c->run, b->sandbox);

    job.trial_inputs = &v->trial;
    job.trial = v->kind;
    osw_oracle_take(&job, &b->judge->results[step],
                    slice_of(b, b->sandbox, step), &v->want);
    if (k == 0) {
        c->run.oracle = v->want;
        c->failed = v->want.state != OSW_STATE_NONE || !v->want.have_values;
        if (!c->failed)
            osw_oracle_mark_written(&v->want, &c->run.trial);
    } else if (v->want.state != OSW_STATE_NONE || !v->want.have_values ||
               !osw_eval_same_shapes(&v->want, &c->run.oracle)) {
        c->failed = true; /* whether it matters is decided alone */
    }
}

static void make_jobs(struct small *c)
{
    for (uint32_t k = 0; k < c->n_variants; k++) {
        struct variant *v = &c->variants[k];

        v->job = osw_eval_verdict_job(&c->run, NULL);
        v->job.trial = &v->trial;
        v->job.oracle = &v->want;
        v->job.kind = v->kind;
        if (k > 0 && c->run.weak)
            v->job.weak = osw_eval_weakness(&c->run, &v->trial, &v->want);
    }
}

static void take_reference(struct batch *b)
{
    uint32_t step = 0;
    int64_t t0 = osw_clock_ns(), t1;

    if (!receive(b))
        fail_all(b);
    t1 = osw_clock_ns();
    b->spent.reference_ns += t1 - t0;
    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++, step++)
            if (!c->failed)
                take_expected(b, c, k, step);
        if (c->failed)
            continue;
        osw_eval_look_for_weakness(&c->run);
        make_jobs(c);
        c->failed = !osw_verdict_lay_out(&c->variants[0].job, &c->layout) ||
                    c->layout.spill + PAGE > b->slot;
        osw_eval_begin_records(&c->run);
    }
    b->spent.verify_ns += osw_clock_ns() - t1;
    leave_sandbox(b);
}

/* --- implementations --- */

/* Which of the case's cells is of that implementation; UINT32_MAX: none. */
static uint32_t cell_of(const struct small *c, const char *name)
{
    const struct osw_bundle *bundle = c->run.bundle;

    for (uint32_t k = 0; k < bundle->n_impls; k++)
        if (strcmp(bundle->impls[k], name) == 0)
            return k;
    return UINT32_MAX;
}

static unsigned char pattern_of(uint32_t call)
{
    return call == 1 ? OSW_PASS_B_BYTE : OSW_PASS_A_BYTE;
}

/* Calls of a case: its own inputs twice, then each trial's. */
static struct variant *variant_of(struct small *c, uint32_t call)
{
    return &c->variants[call < 2 ? 0 : call - 1];
}

/* Everything for the calls of an implementation but asking for them. */
static void prepare_impl(struct batch *b, size_t index)
{
    const char *name = b->judge->op.impls[index].name;
    struct osw_writer *w = &b->message;
    uint32_t n = 0;
    bool any = false, alone = b->judge->batch_excluded[index] ||
                              osw_judge_is_broken(b->judge, index);
    int64_t t0 = osw_clock_ns();

    for (uint32_t i = 0; i < b->n && !alone; i++)
        any = any || (!b->cases[i].failed &&
                      cell_of(&b->cases[i], name) != UINT32_MAX);
    b->sandbox = any ? take_sandbox(b, index) : NULL;
    if (!b->sandbox)
        return;
    begin_message(b);
    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];

        if (c->failed || cell_of(c, name) == UINT32_MAX)
            continue;
        for (uint32_t k = 0; k <= c->n_variants; k++, n++) {
            const struct osw_verdict_job *job = &variant_of(c, k)->job;

            osw_verdict_load(job, &c->layout, slice_of(b, b->sandbox, n).base,
                             pattern_of(k));
            put_step(b, b->sandbox, n, k > 0, pattern_of(k), w);
            if (k == 0)
                osw_verdict_put(job, &c->layout, b->sandbox, pattern_of(k), w);
        }
    }
    end_message(b, n);
    b->spent.fill_ns += osw_clock_ns() - t0;
}

/* From step `step` on. */
static void see(struct batch *b, struct small *c, uint32_t cell, uint32_t step)
{
    struct osw_verdict_call calls[1 + N_VARIANTS];
    struct osw_record *r = &c->run.records[cell];

    for (uint32_t k = 0; k <= c->n_variants; k++) {
        struct variant *v = variant_of(c, k);

        v->job.known = &c->run.known[cell];
        calls[k] = (struct osw_verdict_call){
            .job = &v->job,
            .layout = &c->layout,
            .base = slice_of(b, b->sandbox, step + k).base,
            .pattern = pattern_of(k),
            .result = &b->judge->results[step + k]};
    }
    c->wrong[cell] = !osw_verdict_see(calls, 1 + c->n_variants, b->sandbox, r);
    r->verify_ns = 0; /* each has its share of the batch's */
    r->output = "";
}

/* Wait for what was asked of an implementation. */
static bool receive_impl(struct batch *b)
{
    int64_t t0 = osw_clock_ns();
    bool have = receive(b);

    b->spent.run_ns += osw_clock_ns() - t0;
    return have;
}

/* Judge what came, if it did. */
static void look_at_impl(struct batch *b, size_t index, bool have)
{
    const char *name = b->judge->op.impls[index].name;
    uint32_t step = 0;
    int64_t t0 = osw_clock_ns();
    bool wrong = false;

    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];
        uint32_t cell = cell_of(c, name);

        if (c->failed || cell == UINT32_MAX)
            continue;
        if (have)
            see(b, c, cell, step);
        else
            c->wrong[cell] = true;
        wrong = wrong || c->wrong[cell];
        step += 1 + c->n_variants;
    }
    b->spent.verify_ns += osw_clock_ns() - t0;
    if (wrong) { /* from now on as if there were no batches */
        b->judge->batch_excluded[index] = true;
        if (b->sandbox)
            drop_sandbox(b);
    }
    leave_sandbox(b);
}

/* --- batches --- */

/* Where many fail, trying them together costs more than it saves: the next ones
 * go alone, the more of them the more often that was so.
 */
static void learn(struct osw_judge *judge, uint32_t n_failed, uint32_t n)
{
    if (4 * n_failed <= n) {
        judge->batch_pause = 0;
        return;
    }
    judge->batch_pause = judge->batch_pause ? 2 * judge->batch_pause : 4;
    if (judge->batch_pause > MAX_PAUSE)
        judge->batch_pause = MAX_PAUSE;
    judge->batch_wait = judge->batch_pause;
}

/* Cells that are settled.  What was spent on the others is charged to the
 * bundle that comes next.
 */
static void finish(struct batch *b,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg)
{
    struct osw_judge *judge = b->judge;
    struct osw_record *s = &b->spent;
    uint32_t n_failed = 0;

    s->build_ns /= b->n;
    s->fill_ns /= b->n;
    s->reference_ns /= b->n;
    s->run_ns /= b->n;
    s->verify_ns /= b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];
        uint32_t n_impls = c->run.bundle->n_impls, n_settled = 0;
        int64_t owed = c->run.shared.fill_ns;

        c->run.shared = *s;
        c->run.shared.fill_ns += owed;
        for (uint32_t k = 0; k < n_impls; k++) {
            struct osw_record *r = &c->run.records[k];

            if (c->failed || c->wrong[k] || r->status_id == OSW_STATE_NONE)
                continue;
            osw_eval_finish_record(&c->run, 0, r);
            emit(arg, r);
            c->settled[k] = true;
            n_settled++;
        }
        judge->owed_ns += (owed + s->build_ns + s->fill_ns + s->reference_ns +
                           s->run_ns + s->verify_ns) /
                          n_impls * (n_impls - n_settled);
        n_failed += c->failed;
    }
    learn(judge, n_failed, b->n);
}

/* Implementations behind the first, then all is settled. */
static void serve(struct batch *b,
                  void (*emit)(void *arg, const struct osw_record *record),
                  void *arg)
{
    for (size_t i = 1; i < b->judge->op.n_impls; i++) {
        prepare_impl(b, i);
        send_message(b);
        look_at_impl(b, i, receive_impl(b));
    }
    finish(b, emit, arg);
    if (b->judge->config.tick)
        b->judge->config.tick(b->judge->config.tick_arg);
}

/* What a generator draws. */
static void draw(struct batch *b)
{
    struct osw_generated_job jobs[OSW_PROTOCOL_MAX_STEPS];
    struct small *owners[OSW_PROTOCOL_MAX_STEPS];
    size_t n = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        struct small *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++) {
            struct variant *v = &c->variants[k];

            if (!osw_generated_any(&v->trial))
                continue;
            owners[n] = c;
            jobs[n++] = (struct osw_generated_job){
                .trial = &v->trial,
                .rep = rep_of(v->kind),
                .digest = v->kind < 0 ? c->run.bundle->digest : 0};
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
        if (!jobs[i].ok) {
            owners[i]->failed = true;
            owners[i]->n_variants = 0; /* nothing is asked of it */
        }
}

static void fill(struct batch *b)
{
    int64_t t0 = osw_clock_ns();

    for (uint32_t i = 0; i < b->n; i++)
        fill_case(b, &b->cases[i]);
    draw(b);
    b->spent.fill_ns += osw_clock_ns() - t0;
}

/* The next batch, and the reference at work on it; NULL: there is none. */
static struct batch *begin(struct batch *b, const struct osw_bundle *bundles,
                           uint32_t *at, uint32_t n, bool **settled)
{
    b->n = 0;
    while (*at < n && b->n == 0 && !osw_judge_stops(b->judge))
        *at += gather(b, bundles, *at, n, settled);
    if (b->n == 0)
        return NULL;
    b->half = !b->judge->batch_half;
    b->judge->batch_half = b->half;
    fill(b);
    ask_reference(b);
    return b;
}

/* Three batches are on their way at a time: while the sandbox of the first
 * implementation works for one, and the reference for that behind it, the one
 * before them is looked at.
 */
static void run_all(struct batch all[N_BATCHES],
                    const struct osw_bundle *bundles, uint32_t n,
                    bool **settled,
                    void (*emit)(void *arg, const struct osw_record *record),
                    void *arg)
{
    struct batch *working = NULL, *asked = NULL, *next;
    uint32_t at = 0;
    int turn = 0;

    do {
        bool have = false;

        if (asked) {
            take_reference(asked);
            prepare_impl(asked, 0);
        }
        next = begin(&all[turn++ % N_BATCHES], bundles, &at, n, settled);
        if (working)
            have = receive_impl(working);
        if (asked)
            send_message(asked);
        if (working) {
            look_at_impl(working, 0, have);
            serve(working, emit, arg);
        }
        working = asked;
        asked = next;
    } while (working || asked);
}

static int open_batches(struct osw_judge *judge, struct batch all[N_BATCHES],
                        struct osw_error *err)
{
    const struct osw_place *host = &judge->places[OSW_ZONE_WINDOW];

    if (!judge->results)
        judge->results =
            calloc(OSW_PROTOCOL_MAX_STEPS, sizeof(*judge->results));
    for (uint32_t i = 0; i < N_BATCHES; i++) {
        void *message = malloc(OSW_PROTOCOL_MAX_BYTES);

        if (!judge->batch_memory[i])
            judge->batch_memory[i] = osw_arena_create();
        all[i] = (struct batch){
            .judge = judge,
            .all = all,
            .memory = judge->batch_memory[i],
            .cases = calloc(MAX_CASES, sizeof(*all[i].cases)),
            .from = i * (host->limit / N_BATCHES / PAGE * PAGE),
            .message = osw_writer(message, OSW_PROTOCOL_MAX_BYTES)};
        if (!message || !all[i].memory || !all[i].cases || !judge->results)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for a batch");
    }
    return 0;
}

static void close_batches(struct batch all[N_BATCHES])
{
    for (int i = 0; i < N_BATCHES; i++) {
        free(all[i].cases);
        free(all[i].message.data);
    }
}

/* Cells of a bundle that go alone, as a bundle of their own. */
struct rest {
    const struct osw_bundle *whole;
    const char **impls;
    uint64_t *keys;
    uint32_t *k; /* which cells of the whole */
    void (*emit)(void *arg, const struct osw_record *record);
    void *arg;
};

static void emit_as_whole(void *arg, const struct osw_record *record)
{
    const struct rest *rest = arg;
    struct osw_record r = *record;

    r.cell = rest->whole->first_cell +
             rest->k[record->cell - rest->whole->first_cell];
    rest->emit(rest->arg, &r);
}

/* The cells that were not settled together, each by itself. */
static int run_rest(struct osw_judge *judge, const struct osw_bundle *bundle,
                    const bool *settled, struct rest *rest,
                    struct osw_error *err)
{
    struct osw_bundle alone = *bundle;

    rest->whole = bundle;
    alone.impls = rest->impls;
    alone.cell_keys = rest->keys;
    alone.n_impls = 0;
    for (uint32_t k = 0; k < bundle->n_impls; k++)
        if (!settled[k]) {
            rest->k[alone.n_impls] = k;
            rest->impls[alone.n_impls] = bundle->impls[k];
            rest->keys[alone.n_impls++] = bundle->cell_keys[k];
        }
    return alone.n_impls > 0
               ? osw_judge_bundle(judge, &alone, emit_as_whole, rest, err)
               : 0;
}

static int run_alone(struct osw_judge *judge, const struct osw_bundle *bundles,
                     uint32_t n, bool **settled,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    uint32_t most = 1;
    struct rest rest = {.emit = emit, .arg = arg};
    int rc = 0;

    for (uint32_t i = 0; i < n; i++)
        most = bundles[i].n_impls > most ? bundles[i].n_impls : most;
    rest.impls = calloc(most, sizeof(*rest.impls));
    rest.keys = calloc(most, sizeof(*rest.keys));
    rest.k = calloc(most, sizeof(*rest.k));
    if (!rest.impls || !rest.keys || !rest.k)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a bundle");
    for (uint32_t i = 0; i < n && rc == 0 && !osw_judge_stops(judge); i++)
        rc = run_rest(judge, &bundles[i], settled[i], &rest, err);
    free(rest.impls);
    free(rest.keys);
    free(rest.k);
    return rc;
}

/* Flags of all cells, bundle by bundle; NULL: no memory. */
static bool **make_flags(const struct osw_bundle *bundles, uint32_t n)
{
    size_t n_cells = 0;
    bool **flags, *next;

    for (uint32_t i = 0; i < n; i++)
        n_cells += bundles[i].n_impls;
    flags = calloc(1, n * sizeof(*flags) + n_cells);
    next = flags ? (bool *)(flags + n) : NULL;
    for (uint32_t i = 0; i < n && flags; i++) {
        flags[i] = next;
        next += bundles[i].n_impls;
    }
    return flags;
}

int osw_batch_run(struct osw_judge *judge, const struct osw_bundle *bundles,
                  uint32_t n,
                  void (*emit)(void *arg, const struct osw_record *record),
                  void *arg, struct osw_error *err)
{
    struct batch all[N_BATCHES] = {{.n = 0}};
    bool **settled = make_flags(bundles, n);
    int rc = -1;

    if (!settled)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a batch");
    if (osw_judge_load_op(judge, bundles[0].op_dir, err) == 0 &&
        open_batches(judge, all, err) == 0) {
        run_all(all, bundles, n, settled, emit, arg);
        rc = run_alone(judge, bundles, n, settled, emit, arg, err);
    }
    close_batches(all);
    free(settled);
    return rc;
}
