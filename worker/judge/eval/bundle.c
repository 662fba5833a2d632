/* worker/judge/eval/bundle.c - one bundle: all cells of one (op, case) */
#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/baseline.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/rounds.h"
#include "worker/judge/timing/timing.h"

enum { AIR = 4 /* places of the pool for reference and baseline, and spare */ };

static void unpin(struct osw_sandbox *sandbox)
{
    if (sandbox)
        sandbox->pinned = false;
}

/* After a big case, give its memory back; small ones reuse theirs.  The records
 * are emitted already, so the time is charged to the next bundle's fill.
 */
static void release(struct osw_eval *run)
{
    struct osw_judge *judge = run->judge;
    struct osw_place *host = &judge->places[OSW_ZONE_WINDOW];
    int64_t t0 = osw_clock_ns();

    osw_pool_sweep(&judge->pool);
    osw_pool_trim(&judge->pool);
    if (run->own.trial.inputs_bytes > judge->pool.keep_bytes) {
        osw_device_cpu_ops.map_release(NULL, &host->image, 0);
        osw_device_cpu_ops.map_release(NULL, &host->private, 0);
        osw_device_cpu_ops.map_release(NULL, &host->seen, 0);
    }
    unpin(osw_eval_reference(run));
    unpin(osw_eval_baseline(run));
    judge->owed_ns = osw_clock_ns() - t0;
}

/* Run all rounds of one group of implementations before the next group's.  The
 * group's sandboxes live as long as its rounds.
 */
static void run_groups(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    uint32_t group = run->judge->pool.n_sandboxes - AIR;

    for (run->from = 0; run->from < b->n_impls; run->from = run->to) {
        run->to =
            b->n_impls - run->from > group ? run->from + group : b->n_impls;
        osw_expected_make_case(run);
        if (run->from == 0) {
            if (run->stopped == OSW_STATE_NONE)
                osw_eval_look_for_weakness(run);
            osw_eval_begin_records(run);
            osw_baseline_seek(run, false);
        }
        osw_rounds_run(run);
    }
}

int osw_judge_bundle(struct osw_judge *judge, const struct osw_bundle *bundle,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    struct osw_eval run = {
        .judge = judge,
        .bundle = bundle,
        .memory = judge->case_memory,
        .own = {.kind = -1, .want = {.bytes = NAN, .flops = NAN}}};

    osw_arena_reset(run.memory);
    if (osw_eval_begin(&run, err) < 0)
        return -1;
    run_groups(&run);
    osw_timing_settle(judge);
    for (uint32_t k = 0; k < bundle->n_impls; k++) {
        osw_eval_finish_record(&run, run.own_ns[k], &run.records[k]);
        if (run.baseline_name)
            run.records[k].baseline = run.baseline_name;
        emit(arg, &run.records[k]);
    }
    release(&run);
    return 0;
}
