/* worker/judge/eval/bundle.c - one bundle: all cells of one (op, case) */
#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/baseline.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/first.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/eval/rounds.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/eval/warm_up.h"
#include "worker/judge/gang/meeting.h"
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

/* A case that one member of a gang cannot make is judged by none; one that is
 * weak for some of them only is not weak.
 */
static void agree_on_case(struct osw_eval *run)
{
    struct osw_record stopped;

    if (!run->agree.gang)
        return;
    osw_record_init(&stopped);
    stopped.status_id = (uint8_t)run->stopped;
    stopped.phase_id = OSW_PHASE_REFERENCE;
    stopped.reason = run->why;
    if (osw_agree_record(&run->agree, run->memory, &stopped))
        osw_eval_stop(run, stopped.status_id, stopped.reason);
    if (!osw_agree_all(&run->agree, run->own.weak != NULL))
        run->own.weak = NULL;
    run->gang_random = osw_random_next(&run->judge->random);
    (void)osw_agree_share(&run->agree, 0, &run->gang_random,
                          sizeof(run->gang_random));
}

/* What has room beside each other; in a gang, for all members. */
static uint32_t group_size(struct osw_eval *run)
{
    float least = -(float)(run->judge->pool.n_sandboxes - AIR);

    if (run->agree.gang && !osw_agree_longest(&run->agree, &least, 1, NULL))
        return 1; /* the gang is broken */
    return (uint32_t)-least;
}

/* Run all rounds of one group of implementations before the next group's.  The
 * group's sandboxes live as long as its rounds.
 */
static void run_groups(struct osw_eval *run)
{
    const struct osw_bundle *b = run->bundle;
    uint32_t group = group_size(run);

    for (run->from = 0; run->from < b->n_impls; run->from = run->to) {
        run->to =
            b->n_impls - run->from > group ? run->from + group : b->n_impls;
        osw_expected_make_case(run);
        if (run->from == 0 && run->stopped == OSW_STATE_NONE)
            osw_eval_look_for_weakness(run);
        agree_on_case(run);
        if (run->from == 0) {
            osw_eval_begin_records(run);
            osw_baseline_seek(run, false);
        }
        osw_rounds_run(run);
    }
}

/* What the record of rank 0 says of all ranks. */
static void end_of_gang(struct osw_eval *run, uint32_t k)
{
    struct osw_record *r = &run->records[k];
    struct osw_sandbox *sandbox =
        osw_pool_find(&run->judge->pool, run->members[k]);

    if (sandbox && osw_first_is_right(r))
        osw_meeting_keep(&run->agree, sandbox);
    osw_agree_errors(&run->agree, r);
    if (r->status_id == OSW_STATE_PASS && run->bundle->time &&
        run->judge->config.profile->time && !osw_eval_wants_time(run))
        osw_verdict_say(run->memory, r, "times n/a: ",
                        "ranks of a collective op are timed on GPUs only");
}

/* None if a member of the gang was lost: then they are judged again. */
static void emit_records(struct osw_eval *run,
                         void (*emit)(void *arg,
                                      const struct osw_record *record),
                         void *arg)
{
    const struct osw_gang *gang = run->agree.gang;

    for (uint32_t k = 0; gang && k < run->bundle->n_impls; k++)
        end_of_gang(run, k);
    if (gang && run->agree.broken)
        return;
    for (uint32_t k = 0; k < run->bundle->n_impls; k++) {
        osw_eval_finish_record(run, run->own_ns[k], &run->records[k]);
        if (run->baseline_name)
            run->records[k].baseline = run->baseline_name;
        emit(arg, &run->records[k]);
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
    run.shared.fill_ns += osw_warm_up_make(judge, bundle);
    osw_expected_begin_appeals(&run);
    run_groups(&run);
    osw_timing_settle(judge);
    emit_records(&run, emit, arg);
    release(&run);
    return 0;
}
