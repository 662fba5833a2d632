/* worker/judge/batch/batch.c - small cases of one op, many at a time */
#include "worker/judge/batch/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/batch/batch_cases.h"
#include "worker/judge/batch/batch_message.h"
#include "worker/judge/batch/batch_rest.h"
#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/eval/warm_up.h"

enum { MAX_PAUSE = 256, N_BATCHES = OSW_JUDGE_BATCHES };

static void fail_all(struct osw_batch *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        b->cases[i].failed = true;
}

/* --- the reference --- */

static void ask_reference(struct osw_batch *b)
{
    struct osw_writer *w = &b->message;
    struct osw_sandbox *sandbox;
    uint32_t n = 0;

    if (b->n == 0)
        return;
    sandbox =
        osw_batch_take_sandbox(b, osw_eval_reference_index(&b->cases[0].run));
    if (!sandbox)
        return;
    osw_batch_begin_message(b);
    for (uint32_t i = 0; i < b->n; i++) {
        struct osw_small_case *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++, n++) {
            const struct osw_trial *trial = &c->variants[k].inputs.trial;
            struct osw_oracle_job job =
                osw_eval_oracle_job(&c->run, &c->variants[k].inputs, sandbox);
            struct osw_zone_memory slice = osw_batch_slice_of(b, sandbox, n);

            osw_batch_put_step(b, sandbox, n, k > 0, OSW_GUARD_BYTE, w);
            if (k == 0)
                c->failed = !osw_oracle_put(&job, slice, w, &c->run.own.want);
            else
                osw_trial_bring(trial, slice.base);
            w->overrun = w->overrun || c->failed;
        }
    }
    osw_batch_end_message(b, n);
    osw_batch_send_message(b);
}

/* The reference's outputs for variant k. */
static void take_expected(struct osw_batch *b, struct osw_sandbox *sandbox,
                          struct osw_small_case *c, uint32_t k, uint32_t step)
{
    struct osw_inputs *in = &c->variants[k].inputs;
    struct osw_oracle_job job = osw_eval_oracle_job(&c->run, in, sandbox);
    struct osw_oracle_result *want = &in->want;

    osw_oracle_take(&job, &b->judge->results[step],
                    osw_batch_slice_of(b, sandbox, step), want);
    /* A slice is small: without the room for float64 it would be lenient. */
    c->failed = want->state != OSW_STATE_NONE || !want->have_values ||
                want->n_outputs == 0 || b->judge->results[step].no_memory;
    if (k == 0 && !c->failed) {
        c->run.own.want = *want;
        osw_oracle_mark_written(want, &c->run.own.trial);
    } else if (!c->failed) {
        /* Outputs of other shapes are judged outside of batches. */
        c->failed = !osw_eval_same_shapes(want, &c->run.own.want);
    }
}

/* Weakness, layout, records: everything that implementations need. */
static void finish_expected(struct osw_batch *b, struct osw_small_case *c)
{
    osw_eval_look_for_weakness(&c->run);
    c->variants[0].inputs.weak = c->run.own.weak;
    for (uint32_t k = 1; k < c->n_variants && c->run.own.weak; k++)
        c->variants[k].inputs.weak =
            osw_eval_weakness(&c->run, &c->variants[k].inputs);
    c->failed =
        !osw_exec_lay_out(b->memory, &c->variants[0].inputs, &c->layout) ||
        c->layout.spill + OSW_BATCH_PAGE > b->slot;
    osw_eval_begin_records(&c->run);
}

static void take_reference(struct osw_batch *b)
{
    uint32_t step = 0;
    int64_t t0 = osw_clock_ns(), t1;
    struct osw_sandbox *sandbox;

    if (!osw_batch_receive(b))
        fail_all(b);
    sandbox = osw_batch_sandbox_of(b);
    t1 = osw_clock_ns();
    b->spent.reference_ns += t1 - t0;
    for (uint32_t i = 0; i < b->n; i++) {
        struct osw_small_case *c = &b->cases[i];

        for (uint32_t k = 0; k < c->n_variants; k++, step++)
            if (!c->failed)
                take_expected(b, sandbox, c, k, step);
        if (!c->failed)
            finish_expected(b, c);
    }
    b->spent.verify_ns += osw_clock_ns() - t1;
    osw_batch_leave_sandbox(b);
}

/* --- implementations --- */

/* The cell of the case with that implementation; UINT32_MAX: none. */
static uint32_t cell_of(const struct osw_small_case *c, const char *name)
{
    const struct osw_bundle *bundle = c->run.bundle;

    for (uint32_t k = 0; k < bundle->n_impls; k++)
        if (strcmp(bundle->impls[k], name) == 0)
            return k;
    return UINT32_MAX;
}

/* Calls of a case: its own inputs twice, then each trial's.  moves: the second
 * of them lie elsewhere, as outside of batches.
 */
static struct osw_exec_call call_of(struct osw_small_case *c, uint32_t k,
                                    bool moves)
{
    const struct osw_inputs *inputs = &c->variants[k < 2 ? 0 : k - 1].inputs;
    bool moved = moves && k == 1;

    return (struct osw_exec_call){
        .inputs = inputs,
        .layout = &c->layout,
        .first = k == 0 || moved,
        .moved = moved,
        .bring = true,
        .pattern = k == 1 ? OSW_POISON_B : OSW_POISON_OF(inputs->kind)};
}

/* One case of a batch moves, the last one that an implementation has: moving
 * takes longer than a call, and what is kept from a call is mostly used in all.
 */
static uint32_t last_of(const struct osw_batch *b, const char *name)
{
    for (uint32_t i = b->n; i-- > 0;)
        if (!b->cases[i].failed && cell_of(&b->cases[i], name) != UINT32_MAX)
            return i;
    return UINT32_MAX;
}

/* Prepare the calls of an implementation, up to the request. */
static void prepare_impl(struct osw_batch *b, size_t index)
{
    const char *name = b->judge->op.impls[index].name;
    struct osw_writer *w = &b->message;
    struct osw_sandbox *sandbox;
    uint32_t n = 0, last = last_of(b, name);
    bool alone = b->judge->tried[index].batch_excluded ||
                 osw_judge_is_broken(b->judge, index);
    int64_t t0 = osw_clock_ns(), phases_ns = osw_record_phases_ns(&b->spent);

    b->sandbox = OSW_NO_SANDBOX;
    sandbox =
        last != UINT32_MAX && !alone ? osw_batch_take_sandbox(b, index) : NULL;
    if (!sandbox)
        return;
    osw_batch_begin_message(b);
    for (uint32_t i = 0; i < b->n; i++) {
        struct osw_small_case *c = &b->cases[i];
        struct osw_exec exec = osw_eval_exec(&c->run, &b->spent);

        if (c->failed || cell_of(c, name) == UINT32_MAX)
            continue;
        for (uint32_t k = 0; k <= c->n_variants; k++, n++) {
            struct osw_exec_call call =
                call_of(c, k, i == last && OSW_CHECKS(MOVED));

            if (call.moved)
                osw_sandbox_shift(sandbox);
            osw_exec_load_slice(&call, osw_batch_slice_of(b, sandbox, n).base);
            osw_batch_put_step(b, sandbox, n, !call.first, call.pattern, w);
            if (call.first)
                osw_exec_put_case(&exec, sandbox, &call, w);
        }
    }
    sandbox->case_id = 0; /* of several cases */
    osw_batch_end_message(b, n);
    /* Loading it is another phase. */
    b->spent.fill_ns +=
        osw_clock_ns() - t0 - (osw_record_phases_ns(&b->spent) - phases_ns);
}

/* Check call k of a case, which was step `step`. */
static void look_at(struct osw_batch *b, struct osw_sandbox *sandbox,
                    struct osw_small_case *c, uint32_t k, uint32_t step,
                    const struct osw_findings *before, struct osw_findings *f)
{
    struct osw_exec_call call = call_of(c, k, false);
    const struct osw_look look = {
        .memory = b->memory,
        .op = &b->judge->op,
        .inputs = call.inputs,
        .layout = call.layout,
        .check = c->run.check,
        .pattern = call.pattern,
        .result = &b->judge->results[step + k],
        .zone = osw_batch_slice_of(b, sandbox, step + k).base,
        .before = before};

    *f = (struct osw_findings){.text = ""};
    osw_exec_read_result(look.result, f);
    if (osw_findings_clean(f))
        osw_look(&look, f);
}

/* Unsupported is a verdict, not a fault. */
static bool is_unsupported(const struct osw_findings *f,
                           const struct osw_result *result)
{
    return f->fault == OSW_FAULT_RETURNED && f->unsupported && !result->lost;
}

static void end_unsupported(struct osw_batch *b, const struct osw_findings *f,
                            struct osw_record *r)
{
    const struct osw_evidence e = {.kind = -1, .call = f};
    struct osw_verdict verdict;

    osw_verdict_of(&e, &verdict);
    r->status_id = (uint8_t)verdict.state;
    r->phase_id = (uint8_t)verdict.phase;
    r->exit_code = f->exit_code;
    r->reason = osw_arena_strdup(b->memory, verdict.text);
}

/* The verdict by calls from step `step` on; false: there is none, and the cell
 * must be judged outside of batches.
 */
static bool judge_together(struct osw_batch *b, struct osw_sandbox *sandbox,
                           struct osw_small_case *c, uint32_t cell,
                           uint32_t step)
{
    struct osw_record *r = &c->run.records[cell];
    struct osw_findings first, f;

    r->check_id = (uint8_t)c->run.check;
    for (uint32_t k = 0; k <= c->n_variants; k++)
        if (b->judge->results[step + k].no_memory) /* more room later */
            return false;
    look_at(b, sandbox, c, 0, step, NULL, &first);
    if (is_unsupported(&first, &b->judge->results[step])) {
        end_unsupported(b, &first, r);
        return true;
    }
    if (!osw_findings_clean(&first))
        return false;
    look_at(b, sandbox, c, 1, step, &first, &f);
    if (!osw_findings_clean(&f) || f.hash != first.hash ||
        !osw_attempt_end_right(&c->run, &c->variants[0].inputs, sandbox, &first,
                               &f, &b->judge->results[step + 1],
                               &c->run.known[cell], r))
        return false;
    for (uint32_t k = 2; k <= c->n_variants; k++) {
        const struct osw_inputs *in = &c->variants[k - 1].inputs;

        look_at(b, sandbox, c, k, step, NULL, &f);
        if (!osw_findings_clean(&f))
            return false;
        r->trials |= UINT32_C(1) << in->kind;
        osw_verdict_strengthen(c->run.memory, in->kind, in->weak != NULL, r);
    }
    return true;
}

/* Wait for the results of an implementation, as osw_batch_receive.  Its sandbox
 * must also answer a ping after them: op code that ends its process, closes its
 * socket, or leaves a process of its own, is judged outside of batches.
 */
static bool receive_impl(struct osw_batch *b)
{
    int64_t t0 = osw_clock_ns();
    bool have = osw_batch_receive(b);

    if (have && (!osw_sandbox_ping(osw_batch_sandbox_of(b)) ||
                 osw_sandbox_end_if_copied(osw_batch_sandbox_of(b)))) {
        osw_pool_drop(&b->judge->pool, b->sandbox);
        have = false;
    }
    b->spent.run_ns += osw_clock_ns() - t0;
    return have;
}

/* Judge the results, if there are any. */
static void look_at_impl(struct osw_batch *b, size_t index, bool have)
{
    const char *name = b->judge->op.impls[index].name;
    struct osw_sandbox *sandbox = osw_batch_sandbox_of(b);
    uint32_t step = 0;
    int64_t t0 = osw_clock_ns();

    for (uint32_t i = 0; i < b->n; i++) {
        struct osw_small_case *c = &b->cases[i];
        uint32_t cell = cell_of(c, name);

        if (c->failed || cell == UINT32_MAX)
            continue;
        c->wrong[cell] =
            !have || !sandbox || !judge_together(b, sandbox, c, cell, step);
        c->run.records[cell].output = "";
        if (c->wrong[cell]) /* from now on as if there were no batches */
            b->judge->tried[index].batch_excluded = true;
        step += 1 + c->n_variants;
    }
    b->spent.verify_ns += osw_clock_ns() - t0;
    osw_batch_leave_sandbox(b);
}

/* --- batches --- */

/* If many cases fail, batches cost more than they save.  Then the next bundles
 * are judged outside of batches; their number grows with each such batch.
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

/* Emit the cells that are settled.  The time spent on the others is charged to
 * the next bundle.
 */
static void finish(struct osw_batch *b,
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
        struct osw_small_case *c = &b->cases[i];
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
        judge->owed_ns +=
            (owed + osw_record_phases_ns(s)) / n_impls * (n_impls - n_settled);
        n_failed += c->failed;
    }
    learn(judge, n_failed, b->n);
}

/* Run the implementations after the first, then settle all verdicts. */
static void serve(struct osw_batch *b,
                  void (*emit)(void *arg, const struct osw_record *record),
                  void *arg)
{
    for (size_t i = 1; i < b->judge->op.n_impls; i++) {
        prepare_impl(b, i);
        osw_batch_send_message(b);
        look_at_impl(b, i, receive_impl(b));
    }
    finish(b, emit, arg);
    if (b->judge->config.tick)
        b->judge->config.tick(b->judge->config.tick_arg);
}

/* The next batch, and the reference at work on it; NULL: there is none. */
static struct osw_batch *begin(struct osw_batch *b,
                               const struct osw_bundle *bundles, uint32_t *at,
                               uint32_t n, bool **settled)
{
    b->n = 0;
    while (*at < n && b->n == 0 && !osw_judge_stops(b->judge))
        *at += osw_batch_gather(b, bundles, *at, n, settled);
    if (b->n == 0)
        return NULL;
    b->half = !b->judge->batch_half;
    b->judge->batch_half = b->half;
    osw_batch_fill(b);
    ask_reference(b);
    return b;
}

/* A pipeline of three batches: the sandbox of the first implementation runs
 * one, the reference process computes the next, and the judge checks the
 * previous one.
 */
static void run_all(struct osw_batch all[N_BATCHES],
                    const struct osw_bundle *bundles, uint32_t n,
                    bool **settled,
                    void (*emit)(void *arg, const struct osw_record *record),
                    void *arg)
{
    struct osw_batch *working = NULL, *asked = NULL, *next;
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
            osw_batch_send_message(asked);
        if (working) {
            look_at_impl(working, 0, have);
            serve(working, emit, arg);
        }
        working = asked;
        asked = next;
    } while (working || asked);
}

static int open_batches(struct osw_judge *judge,
                        struct osw_batch all[N_BATCHES], struct osw_error *err)
{
    const struct osw_place *host = &judge->places[OSW_ZONE_WINDOW];

    if (!judge->results)
        judge->results =
            calloc(OSW_PROTOCOL_MAX_STEPS, sizeof(*judge->results));
    for (uint32_t i = 0; i < N_BATCHES; i++) {
        void *message = malloc(OSW_PROTOCOL_MAX_BYTES);

        if (!judge->batch_memory[i])
            judge->batch_memory[i] = osw_arena_create();
        all[i] = (struct osw_batch){
            .judge = judge,
            .all = all,
            .memory = judge->batch_memory[i],
            .cases = calloc(OSW_BATCH_CASES, sizeof(*all[i].cases)),
            .from =
                i * (host->limit / N_BATCHES / OSW_BATCH_PAGE * OSW_BATCH_PAGE),
            .message = osw_writer(message, OSW_PROTOCOL_MAX_BYTES)};
        if (!message || !all[i].memory || !all[i].cases || !judge->results)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for a batch");
    }
    return 0;
}

static void close_batches(struct osw_batch all[N_BATCHES])
{
    for (int i = 0; i < N_BATCHES; i++) {
        free(all[i].cases);
        free(all[i].message.data);
    }
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

/* By bytes where the plan knows them, and by predicted cost. */
static int compare_sizes(const void *a, const void *b)
{
    const struct osw_bundle *x = a, *y = b;
    double left = fmax(x->bytes, 0), right = fmax(y->bytes, 0); /* NaN: 0 */

    if (left < right || left > right)
        return left < right ? -1 : 1;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns < y->cost_ns ? -1 : 1;
    return x->first_cell < y->first_cell ? -1 : x->first_cell > y->first_cell;
}

/* What a process keeps of its first case would be large enough for all others,
 * if the largest came first.
 */
static struct osw_bundle *smallest_first(const struct osw_bundle *bundles,
                                         uint32_t n)
{
    struct osw_bundle *all = calloc(n, sizeof(*all));

    if (!all)
        return NULL;
    memcpy(all, bundles, n * sizeof(*all));
    qsort(all, n, sizeof(*all), compare_sizes);
    return all;
}

int osw_batch_run(struct osw_judge *judge, const struct osw_bundle *bundles,
                  uint32_t n,
                  void (*emit)(void *arg, const struct osw_record *record),
                  void *arg, struct osw_error *err)
{
    struct osw_batch all[N_BATCHES] = {{.n = 0}};
    struct osw_bundle *ordered = smallest_first(bundles, n);
    bool **settled = ordered ? make_flags(ordered, n) : NULL;
    int rc = -1;

    if (!settled) {
        free(ordered);
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a batch");
    }
    if (osw_judge_load_op(judge, ordered[0].op_dir, err) == 0 &&
        open_batches(judge, all, err) == 0) {
        judge->owed_ns += osw_warm_up_make(judge, &ordered[0]);
        run_all(all, ordered, n, settled, emit, arg);
        rc = osw_batch_rest(judge, ordered, n, settled, emit, arg, err);
    }
    close_batches(all);
    free(settled);
    free(ordered);
    return rc;
}
