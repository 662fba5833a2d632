/* worker/judge/timing/timing.c - a cell is timed: its sandboxes and its device
 */
#include "worker/judge/timing/timing.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/health.h"
#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/fresh.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/process/watch.h"
#include "worker/judge/timing/measure.h"
#include "worker/judge/timing/processor_roof.h"
#include "worker/judge/timing/roofline.h"
#include "worker/judge/timing/token.h"
#include "worker/judge/timing/work.h"

enum {
    ROOF_BYTES = 512 << 20, /* of a copy that measures bandwidth, at most */
    ROOF_LEAST_BYTES = 32 << 20,
    ROOF_TRIES = 4,
    ROOF_COPIES = 8, /* of each try */
    SHIFT_STEP = 512,
};
/* A copy that takes this long is large enough: its start does not count. */
#define ROOF_COPY_NS 1e6
/* An answer of the driver up to this age is used like a new one. */
#define WATCHED_NS   INT64_C(25000000)

/* --- sandboxes --- */

static bool renews(const struct osw_judge *judge)
{
    return judge->device->ops->fresh_rounds;
}

/* Which implementation is being timed, for renew(). */
struct timing {
    struct osw_eval *run;
    size_t index;
    struct osw_record failed;    /* for osw_measure_job.failed */
    struct osw_wrong_call wrong; /* if was_wrong */
    bool was_wrong;
};

/* For measure: see osw_measure_job.verify.  An implementation that stands in
 * for the reference may be the baseline, which has to be ready for its next
 * calls.
 */
static bool verify(void *arg, struct osw_sandbox *candidate,
                   const struct osw_edits *edits, uint64_t call,
                   bool *lost_base)
{
    struct timing *t = arg;
    struct osw_eval *run = t->run;
    bool shared = osw_sandbox_same(run->baseline, run->reference);
    bool pinned = candidate->pinned, right;
    struct osw_sandbox *reference;

    candidate->pinned = true;
    right = osw_attempt_between(run, candidate, edits, call, &t->failed);
    candidate->pinned = pinned;
    t->was_wrong = !right;
    t->wrong = (struct osw_wrong_call){candidate->id, *edits, call};
    reference = osw_eval_reference(run);
    *lost_base = shared && !(reference &&
                             osw_sandbox_same(run->baseline, run->reference));
    if (right && shared && !*lost_base && !renews(run->judge)) {
        struct osw_oracle_job job =
            osw_eval_oracle_job(run, &run->own, reference);

        *lost_base = !osw_oracle_arm(&job);
    }
    return right;
}

static bool works_on_processor(const struct osw_judge *judge)
{
    return judge->device->ops->dl_type == OSW_CPU;
}

/* What a fixed computation takes on the device now, ns: the least of a few.
 * Without waits for a core, unless a device goes on meanwhile.
 */
static double try_device(struct osw_judge *judge, int n)
{
    double least = INFINITY;

    for (int i = 0; i < n; i++) {
        struct osw_health_part part;
        int64_t t0 = osw_clock_ns(), held_ns = osw_watch_waited(gettid());

        osw_health_canary(judge->device, judge->canary.base, &part);
        held_ns = works_on_processor(judge)
                      ? osw_watch_waited(gettid()) - held_ns
                      : 0;
        least = fmin(least, (double)(osw_clock_ns() - t0 - held_ns));
    }
    return least;
}

/* For measure: see osw_measure_job.crowded. */
static double crowded(void *arg)
{
    struct osw_judge *judge = ((const struct timing *)arg)->run->judge;
    double now = try_device(judge, judge->canary_ns > 0 ? 2 : 8);

    if (!(judge->canary_ns > 0 && judge->canary_ns < now))
        judge->canary_ns = now;
    return now / judge->canary_ns;
}

/* For measure: see osw_measure_job.relieve. */
static bool relieve(void *arg, const struct osw_sandbox *sandbox)
{
    const struct timing *t = arg;

    return osw_judge_relieve(t->run->judge, sandbox);
}

/* The index of a sandbox's file, for osw_judge_sandbox(). */
static size_t file_of(const struct timing *t, struct osw_sandbox_id id)
{
    const struct osw_eval *run = t->run;

    return osw_sandbox_same(id, run->baseline)
               ? osw_eval_impl_index(&run->judge->op, run->baseline_name)
               : t->index;
}

struct osw_sandbox *osw_timing_start(struct osw_eval *run, size_t index,
                                     struct osw_record *record)
{
    enum osw_state state;
    int64_t ns = 0;
    char text[256];
    struct osw_sandbox *sandbox =
        osw_judge_sandbox(run->judge, index, &ns, &state, text, sizeof(text));

    if (!sandbox) {
        record->status_id = (uint8_t)state;
        record->reason =
            osw_arena_printf(run->memory, "a sandbox to be timed in: %s", text);
    }
    return sandbox && osw_attempt_arm(run, sandbox, record) ? sandbox : NULL;
}

/* For measure: see osw_measure_job.renew.  On a device, times differ by the
 * addresses of code and data: keep the sandboxes and change the addresses.  The
 * pool must not be asked for them: it would free a dead one that measure still
 * uses.
 */
static bool move(void *arg, struct osw_sandbox **sandboxes[], size_t n)
{
    struct timing *t = arg;
    struct osw_record unused;
    bool all = true;

    osw_record_init(&unused);
    for (size_t i = 0; i < n; i++) {
        size_t file = file_of(t, (*sandboxes[i])->id);

        (*sandboxes[i])->shift = osw_random_next(&t->run->judge->random) %
                                 (OSW_MAX_SHIFT / SHIFT_STEP) * SHIFT_STEP;
        all = osw_sandbox_reload(*sandboxes[i],
                                 osw_judge_load_deadline(t->run->judge)) == 0 &&
              osw_attempt_arm(t->run, *sandboxes[i],
                              file == t->index ? &t->failed : &unused) &&
              all;
    }
    return all;
}

/* For measure: see osw_measure_job.renew. */
static bool renew(void *arg, struct osw_sandbox **sandboxes[], size_t n)
{
    struct timing *t = arg;
    struct osw_eval *run = t->run;
    size_t files[2] = {0, 0};
    bool reference[2] = {false, false}, baseline[2] = {false, false};
    struct osw_record unused;
    bool all = true;

    osw_record_init(&unused);
    for (size_t i = 0; i < n; i++) {
        struct osw_sandbox_id id = (*sandboxes[i])->id;

        files[i] = file_of(t, id);
        reference[i] = osw_sandbox_same(id, run->reference);
        baseline[i] = osw_sandbox_same(id, run->baseline);
    }
    for (size_t i = 0; i < n; i++)
        osw_pool_drop(&run->judge->pool, (*sandboxes[i])->id);
    for (size_t i = 0; i < n; i++) {
        struct osw_sandbox *fresh = osw_timing_start(
            run, files[i], files[i] == t->index ? &t->failed : &unused);

        *sandboxes[i] = fresh;
        if (reference[i])
            run->reference = fresh ? fresh->id : OSW_NO_SANDBOX;
        if (baseline[i])
            run->baseline = fresh ? fresh->id : OSW_NO_SANDBOX;
        all = all && fresh;
    }
    osw_pool_settle(&run->judge->pool);
    return all;
}

bool osw_timing_begins_anew(const struct osw_judge *judge)
{
    return judge->device->ops->fresh_rounds || judge->config.profile->move;
}

/* --- the device --- */

/* The roofline of the processor, measured as far as such work needs it. */
static const struct osw_processor_roof *roof_for(struct osw_judge *judge,
                                                 double bytes)
{
    struct osw_processor_roof *roof = &judge->processor;
    uint32_t n_threads = judge->pool.env.n_threads;

    if (!osw_processor_roof_known(roof, bytes, n_threads)) {
        osw_token_take(judge->token_fd, judge->config.tick,
                       judge->config.tick_arg);
        osw_processor_roof_measure(roof, bytes, n_threads);
        osw_token_give(judge->token_fd);
    }
    return roof;
}

/* Set the least times of the job, by its bytes and operations.  NaN if no work
 * is required, or if the required work is unknown (undefined memory).  On a
 * device caches are cleared before each call: what it reads comes from the
 * memory.  A claim is refused only by what passes even if they were not; on a
 * processor none is.
 */
static void set_least(struct osw_eval *run, const struct osw_record *r,
                      struct osw_measure_job *job)
{
    struct osw_judge *judge = run->judge;
    const struct osw_device *dev = judge->device;
    const struct osw_work_bytes work = osw_work_bytes(
        &judge->op, &run->own.trial, &run->own.want, run->bundle->bytes);
    enum osw_arithmetic widest = OSW_ARITHMETIC_F16;

    job->light_ns = job->limit_ns = NAN;
    if (isnan(work.least) || r->status_id == OSW_STATE_UNVERIFIED)
        return;
    for (size_t i = 0; i < run->own.trial.n_tensors; i++)
        if (run->own.trial.tensors[i].desc->dtype == OSW_F64)
            widest = OSW_ARITHMETIC_F64;
    if (!dev->ops->own_memory) {
        job->light_ns =
            osw_processor_roof_ns(roof_for(judge, work.least), work.least,
                                  r->flops, widest, judge->pool.env.n_threads);
        return;
    }
    job->light_ns = osw_roofline_ns(dev, judge->bandwidth, work.least,
                                    work.read, r->flops, widest);
    job->limit_ns =
        osw_roofline_ns(dev, judge->bandwidth, work.least, 0, r->flops, widest);
}

/* Bytes read and written per second by n copies; 0 if the device fails. Several
 * for one wait, since they are timed by the host's clock.
 */
static double copy_rate(const struct osw_place *place, struct osw_map *map,
                        uint64_t bytes, int n)
{
    struct osw_device *dev = place->device;
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0;

    if (place->ops->sync(dev, &err) < 0)
        return 0;
    t0 = osw_clock_ns();
    for (int k = 0; k < n; k++)
        place->ops->copy(dev, map->base, (char *)map->base + ROOF_BYTES, bytes);
    if (place->ops->sync(dev, &err) < 0)
        return 0;
    return 2.0 * (double)bytes * n * 1e9 / (double)(osw_clock_ns() - t0 + 1);
}

/* Bytes per second of copies within the device, read and written: the best of
 * a few; 0: unknown.  A GPU copies the largest block; a slow device would need
 * seconds for it.
 */
static double best_copy_rate(const struct osw_place *place, struct osw_map *map)
{
    uint64_t bytes = ROOF_LEAST_BYTES;
    double best = 0, rate;

    (void)copy_rate(place, map, bytes, 1); /* the device wakes up */
    rate = copy_rate(place, map, bytes, 1);
    while (bytes < ROOF_BYTES && 2e9 * (double)bytes < rate * ROOF_COPY_NS)
        bytes *= 2;
    for (int i = 0; i < ROOF_TRIES; i++)
        best = fmax(best, copy_rate(place, map, bytes, ROOF_COPIES));
    return best;
}

void osw_timing_know_device(struct osw_judge *judge)
{
    const struct osw_place *place = &judge->places[OSW_ZONE_ARENA];
    struct osw_device *dev = judge->device;
    struct osw_map map = {.fd = -1};
    struct osw_error err = OSW_ERROR_INIT;
    double empty;

    if (judge->known)
        return;
    judge->known = true;
    osw_pool_settle(&judge->pool);
    dev->ops->floors(dev, &empty, &judge->floor_ns);
    if (!dev->ops->own_memory)
        return;
    if (dev->ops->map_private(dev, 2 * ROOF_BYTES, &map, &err) < 0)
        return;
    judge->bandwidth =
        osw_roofline_memory(best_copy_rate(place, &map), dev->peak_bytes);
    dev->ops->map_destroy(dev, &map);
}

void osw_timing_settle(struct osw_judge *judge)
{
    struct osw_record *r = judge->timed;
    struct osw_telemetry_span span;

    osw_nvml_async_end(&judge->watched);
    judge->timed = NULL;
    if (!r)
        return;
    osw_telemetry_between(&judge->before, &judge->watched.sample, &span);
    r->clock_mhz = span.sm_mhz_after;
    r->temperature_c = span.temperature_c;
    r->power_w = span.power_w;
    r->energy_j = span.energy_j;
    r->throttle = span.reasons > 0 ? (uint64_t)span.reasons : 0;
}

/* The driver's answer after the last cell also serves as the one before this
 * cell, if it is recent.
 */
static void watch_before(struct osw_judge *judge)
{
    osw_timing_settle(judge);
    if (judge->gpu.handle &&
        osw_clock_ns() - judge->watched.sample.at_ns > WATCHED_NS)
        osw_nvml_sample(&judge->gpu, &judge->watched.sample);
    judge->before = judge->watched.sample;
}

/* The driver answers in parallel to the next work; osw_timing_settle() waits.
 */
static void watch_after(struct osw_judge *judge, struct osw_record *record)
{
    if (!judge->gpu.handle)
        return;
    judge->timed = record;
    osw_nvml_async_begin(&judge->watched, &judge->gpu);
}

/* A gang has one for all of its members. */
static bool has_turn(const struct osw_eval *run)
{
    return !run->agree.gang || run->agree.gang->rank == 0;
}

/* Wait until no other worker of the node is timing; ns. */
static int64_t take_turn(struct osw_eval *run)
{
    const struct osw_judge *judge = run->judge;
    int64_t t0 = osw_clock_ns();

    if (has_turn(run))
        (void)osw_token_take(judge->token_fd, judge->config.tick,
                             judge->config.tick_arg);
    (void)osw_agree_all(&run->agree, true);
    return osw_clock_ns() - t0;
}

/* Nothing that one member would do by itself: its sandboxes stay.  The edits of
 * all members' inputs follow from the same random numbers, so each judge
 * repeats them where a call is verified.  Caches stay as they are: clearing
 * them takes each device another time, which the others' calls would wait for.
 * Times are held against the judge's clock as a device's are: a block's
 * accounts are of one member, and say nothing of the others, which its calls
 * wait for.
 */
static void time_together(struct osw_eval *run, struct osw_measure_job *job)
{
    job->random = &run->gang_random;
    job->renew = NULL;
    if (!osw_agree_all(&run->agree, job->verify && job->edits))
        job->verify = NULL;
    /* A member's process of it may have ended. */
    if (!osw_agree_all(&run->agree, job->baseline != NULL))
        job->baseline = NULL;
    job->relieve = NULL;
    job->crowded = NULL;
    job->cold = false;
    job->device = true;
    if (!run->judge->device->ops->own_memory)
        job->launch = (struct osw_launch_floor){0, 0};
}

/* Measure, while what other implementations left running stands still: on a
 * processor, where it would use cores.  In a gang a member may be asked for by
 * the others.
 */
static void measure_undisturbed(const struct osw_eval *run,
                                struct osw_sandbox_id id,
                                const struct osw_measure_job *job,
                                struct osw_record *record)
{
    const struct osw_sandbox_id taking_part[] = {id, run->baseline,
                                                 run->reference};
    const struct osw_pool *pool = &run->judge->pool;
    bool others = !job->own_memory && !run->agree.gang;

    if (others)
        osw_pool_still(pool, taking_part, 3);
    osw_measure(job, record);
    if (others)
        osw_pool_go_on(pool);
}

void osw_timing_measure(struct osw_eval *run, size_t index,
                        struct osw_sandbox *sandbox, struct osw_record *record)
{
    struct osw_judge *judge = run->judge;
    struct timing timing = {.run = run, .index = index};
    bool is_baseline = osw_sandbox_same(run->baseline, sandbox->id);
    struct osw_sandbox_id id = sandbox->id;
    bool pinned = sandbox->pinned;
    struct osw_measure_job job = {
        .memory = run->memory,
        .agree = &run->agree,
        .trial = &run->own.trial,
        .profile = judge->config.profile,
        .cold = judge->config.cold || judge->device->ops->own_memory,
        .candidate = sandbox,
        .baseline = is_baseline ? NULL : osw_eval_baseline(run),
        .is_baseline = is_baseline,
        .deadline_ns = osw_eval_call_deadline(run),
        .random = &judge->random,
        .device = judge->device->ops->own_memory,
        .edits = OSW_CHECKS(TIMED_CALLS),
        .own_memory = judge->device->ops->own_memory,
        .on_processor = works_on_processor(judge),
        .floor_ns = judge->floor_ns,
        .launch = osw_launch_floor_known(judge->config.info),
        .renew = !osw_timing_begins_anew(judge) ? NULL
                 : renews(judge)                ? renew
                                                : move,
        .verify = OSW_CHECKS(TIMED_CALLS) && run->own.want.have_values &&
                          osw_eval_affords_verifying(run)
                      ? verify
                      : NULL,
        .relieve = relieve,
        .crowded = judge->device->ops->own_memory ? crowded : NULL,
        .arg = &timing,
        .failed = &timing.failed,
    };
    int64_t t0;

    set_least(run, record, &job);
    if (run->agree.gang)
        time_together(run, &job);
    osw_record_init(&timing.failed);
    for (size_t i = 0; i < run->own.trial.n_tensors; i++)
        if (run->own.trial.tensors[i].written) {
            job.restores = true;
            job.restore_bytes += run->own.trial.tensors[i].extent;
        }
    record->wait_ns += take_turn(run);
    t0 = osw_clock_ns();
    osw_pool_settle(&judge->pool);
    watch_before(judge);
    sandbox->pinned = true; /* its baseline may ask for memory */
    measure_undisturbed(run, id, &job, record);
    record->algbw = record->coll_bytes / record->t_median_ns;
    record->busbw = record->algbw * run->bandwidth.bus;
    sandbox = osw_pool_find(&judge->pool, id);
    if (sandbox)
        sandbox->pinned = pinned;
    watch_after(judge, record);
    record->time_ns += osw_clock_ns() - t0;
    if (has_turn(run))
        osw_token_give(judge->token_fd);
    if (timing.was_wrong)
        osw_fresh_tell_stale_timed(run, index, &timing.wrong, record);
}
