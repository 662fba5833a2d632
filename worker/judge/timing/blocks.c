/* worker/judge/timing/blocks.c - blocks of timed calls of one implementation */
#include "worker/judge/timing/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/gang/meeting.h"
#include "worker/judge/timing/edited.h"
#include "worker/judge/timing/samples.h"
#include "worker/judge/timing/stamped.h"

enum {
    DEADLINE_FACTOR = 20,
    FIRST_PROBES = 3,
    BUSY_NS = 250000000, /* and on a busy machine */
    TRIES = 4,           /* for one that it does */
    PROBE_NS = 100,      /* of a sample beside its calls, at most */
    RESTORE_NS = 300,    /* and beside its copies */
    STEPS_NS = 1000,     /* of a call: a few steps of any clock */
    FLOOR_NS = 1000,     /* of a stamped sample beside its calls, at most */
    STAMPED_BYTES = 64 << 10, /* restored: stamped blocks confirm such calls */
    STAMPED_BLOCKS = 6,       /* before the first round */
    STAMPED_CALLS = 64,       /* in each, at most */
    STAMPED_LEAST = 16,       /* and at least */
    STAMPED_NS = 20000000,    /* which may take so long */
    CLEAR_FACTOR = 4,         /* of the time that clearing caches took */
    ENOUGH_CONFIRMED = 2,
};

/* The share of a block's time that its request may take; and how much of the
 * time of the judge's own copies a sandbox's copies may take.
 */
#define MOST_BESIDE  0.05
#define COPY_FACTOR  1.5
/* Copies of in-place arguments find other data in the caches after a call than
 * after a copy: seen up to 1.9 times slower, on 48 KB.
 */
#define AFTER_CALL   2.5
/* A claim is at least this share of the quickest stamped call. */
#define STAMPED_PART 0.5
#define ONE_THREAD   1.05 /* of processor time over time */

#define CLEAR_FIRST_NS INT64_C(5000000000)

/* Fewer skewed blocks than one in so many do not count. */
#define SELDOM 3

_Static_assert(2 * OSW_BLOCKS_MAX_ROUNDS >= OSW_RECORD_MAX_SAMPLES,
               "scratch memory");

struct osw_blocks *osw_blocks_open(const struct osw_measure_job *job,
                                   struct osw_sandbox *sandbox, bool keep)
{
    struct osw_blocks *s = osw_arena_alloc(job->memory, sizeof(*s));

    if (!s)
        return NULL;
    s->sandbox = sandbox;
    s->n_threads = 1;
    s->medians =
        osw_arena_array(job->memory, 2 * OSW_BLOCKS_MAX_ROUNDS, sizeof(double));
    s->scratch =
        osw_arena_array(job->memory, 2 * OSW_BLOCKS_MAX_ROUNDS, sizeof(double));
    s->stamps = osw_arena_array(job->memory, OSW_PROTOCOL_MAX_SAMPLES,
                                sizeof(*s->stamps));
    if (keep)
        s->samples =
            osw_arena_array(job->memory, OSW_RECORD_MAX_SAMPLES, sizeof(float));
    return s->medians && s->scratch && s->stamps && (s->samples || !keep)
               ? s
               : NULL;
}

/* --- one request --- */

/* Estimate how many threads its calls keep busy; valid if all get a core. */
static void watch(struct osw_blocks *s, const struct osw_claim_account *before)
{
    double busy;

    s->account = osw_claim_account_since(before, s->sandbox);
    busy = (double)s->account.cpu_ns / (double)s->account.wall_ns;
    if (busy > ONE_THREAD * s->n_threads)
        s->n_threads = (int)ceil(busy);
}

/* Plan the edits of its calls, with a seed that op code cannot know before. */
static void plan_edits(const struct osw_measure_job *job, struct osw_blocks *s,
                       struct osw_time_request *request)
{
    osw_edited_plan(job->trial, s->sandbox, job->device ? 0 : s->call_ns,
                    request->n_inner > 1, &s->edits);
    s->edits.seed = osw_random_next(job->random);
    s->edits.whole = s->whole;
    request->edits =
        job->edits && (request->n_inner || job->device) ? &s->edits : NULL;
}

/* Outputs in a device's memory are read only when a call is verified. */
static void look_at_poison(const struct osw_measure_job *job,
                           struct osw_blocks *s,
                           const struct osw_time_request *request)
{
    s->last_call = osw_edited_last(request, job->own_memory);
    s->left =
        !job->device && request->edits && request->n_inner > 0 &&
        osw_edited_is_left(&s->edits, s->last_call,
                           osw_sandbox_zone(s->sandbox, s->sandbox->zone).base);
}

/* The deadline of a request, for calls that hang.  Clearing a processor's
 * caches is not part of a call: its allowance is the time it took before, and
 * large for the first request.
 */
static int64_t deadline_of(const struct osw_measure_job *job,
                           const struct osw_blocks *s,
                           const struct osw_time_request *request)
{
    int64_t ns = s->call_ns * request->n_samples * request->n_inner;

    ns =
        ns < INT64_MAX / DEADLINE_FACTOR ? ns * DEADLINE_FACTOR : INT64_MAX / 2;
    ns = ns > job->deadline_ns ? ns : job->deadline_ns;
    if (osw_blocks_are_stamped(job))
        ns += CLEAR_FIRST_NS + CLEAR_FACTOR * s->clear_ns * request->n_samples;
    return ns;
}

static int ask_once(const struct osw_measure_job *job, struct osw_blocks *s,
                    const struct osw_time_request *request)
{
    struct osw_claim_account before = {0};
    unsigned char bytes[1024];
    struct osw_writer w = osw_writer(bytes, sizeof(bytes));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_deadline deadline;
    struct osw_reader r;
    int64_t t0;

    osw_protocol_put_time(&w, request);
    if (request->stamped)
        osw_stamped_reset(s->sandbox);
    osw_sandbox_drain(s->sandbox);
    if (s->watched && s->sandbox->pid)
        before = osw_claim_account_now(s->sandbox);
    t0 = osw_clock_ns();
    if (osw_sandbox_send(s->sandbox, &w) < 0)
        return -1;
    deadline = osw_sandbox_deadline_in(deadline_of(job, s, request));
    s->n_stamps = request->stamped
                      ? osw_stamped_follow(s->sandbox, request->n_samples,
                                           &deadline, s->stamps)
                      : 0;
    if (osw_sandbox_receive_by(s->sandbox, OSW_TALK_SAMPLES, &deadline, &r) < 0)
        return -1;
    if (s->watched)
        watch(s, &before);
    s->asked_ns = osw_clock_ns() - t0;
    s->clear_ns = s->asked_ns / request->n_samples;
    if (osw_protocol_get_samples(&r, &s->reply, &err) < 0 ||
        (s->reply.code == 0 && s->reply.n != request->n_samples)) {
        osw_sandbox_fail_protocol(
            s->sandbox, err.text[0] ? err.text : "samples are missing");
        return -1;
    }
    return 0;
}

/* The others' calls need not wait for this member's, and its record counts if
 * it is the cause.
 */
static void leave_gang(const struct osw_measure_job *job,
                       const struct osw_blocks *s)
{
    bool alive = osw_sandbox_alive(s->sandbox);
    struct osw_findings f = {.fault =
                                 alive ? OSW_FAULT_RETURNED : OSW_FAULT_ENDED,
                             .end_state = s->sandbox->end.state};

    osw_meeting_leave(job->agree, s->sandbox, job->memory, &f);
    osw_agree_claim_end(job->agree, &f);
}

/* Calls take as long as they take the slowest member, and failed if they did in
 * one.
 */
static int ask_together(const struct osw_measure_job *job, struct osw_blocks *s,
                        const struct osw_time_request *request)
{
    int rc = ask_once(job, s, request);
    bool good = rc == 0 && s->reply.code == 0;

    if (!good && job->agree->gang)
        leave_gang(job, s);
    s->bystander = !osw_agree_all(job->agree, good) && good;
    if (s->bystander ||
        (good && !osw_agree_longest(job->agree, s->reply.samples, s->reply.n,
                                    &s->spread_ns)))
        return -1;
    return rc;
}

int osw_blocks_ask_for(const struct osw_measure_job *job, struct osw_blocks *s,
                       const struct osw_time_request *asked)
{
    struct osw_time_request request = *asked;

    request.live = s->live;
    plan_edits(job, s, &request);
    do {
        if (ask_together(job, s, &request) < 0)
            return -1;
    } while (s->reply.code != 0 && !s->reply.lost && job->relieve &&
             job->relieve(job->arg, s->sandbox));
    if (s->reply.code != 0) {
        snprintf(s->text, sizeof(s->text), "%s", s->reply.text);
        if (s->reply.lost) /* its next case would be charged with it */
            osw_sandbox_end_as(s->sandbox, OSW_STATE_CUDA, s->text);
        return -1;
    }
    look_at_poison(job, s, &request);
    return 0;
}

int osw_blocks_ask(const struct osw_measure_job *job, struct osw_blocks *s,
                   uint32_t n_samples, uint32_t n_inner)
{
    const struct osw_time_request request = {
        .n_samples = n_samples, .n_inner = n_inner, .cold = job->cold};

    return osw_blocks_ask_for(job, s, &request);
}

int osw_blocks_ask_stamped(const struct osw_measure_job *job,
                           struct osw_blocks *s, uint32_t n_samples,
                           uint32_t n_inner)
{
    const struct osw_time_request request = {.n_samples = n_samples,
                                             .n_inner = n_inner,
                                             .cold = job->cold,
                                             .stamped = true};

    return osw_blocks_ask_for(job, s, &request);
}

/* One sample more or not: what does its work in every second call only does not
 * know which of them will be the last, which may be verified.
 */
static int ask_block(const struct osw_measure_job *job, struct osw_blocks *s,
                     uint32_t n_inner)
{
    uint32_t n = s->n_block;

    if (!job->device && n > 1 && n < OSW_PROTOCOL_MAX_SAMPLES)
        n += (uint32_t)(osw_random_next(job->random) & 1);
    return osw_blocks_are_stamped(job)
               ? osw_blocks_ask_stamped(job, s, n, n_inner)
               : osw_blocks_ask(job, s, n, n_inner);
}

double osw_blocks_claimed_ns(const struct osw_blocks *s)
{
    double ns = 0;

    for (uint32_t i = 0; i < s->reply.n; i++)
        ns += (double)s->reply.samples[i] * s->n_inner;
    return ns;
}

int osw_blocks_probe_stamps(const struct osw_measure_job *job,
                            struct osw_blocks *s)
{
    if (osw_blocks_ask_stamped(job, s, STAMPED_LEAST, 0) < 0)
        return -1;
    if (s->n_stamps == 0)
        return 0;
    for (uint32_t i = 0; i < s->n_stamps; i++)
        s->scratch[i] = s->stamps[i].wall_ns;
    s->floor_ns = fmin(osw_samples_median(s->scratch, s->n_stamps), FLOOR_NS);
    return 0;
}

/* Time a block without calls: the request, and the work before each sample.
 */
static int probe_request(const struct osw_measure_job *job,
                         struct osw_blocks *s)
{
    if (osw_blocks_ask(job, s, s->n_block, 0) < 0)
        return -1;
    s->probes[s->n_probes++ % OSW_BLOCKS_PROBES] = (struct osw_claim_beside){
        .wall_ns = (double)s->account.wall_ns,
        .run_ns = fmax((double)(s->account.wall_ns - s->account.held_ns), 0),
        .cpu_ns = (double)s->account.cpu_ns};
    return 0;
}

/* The medians of what the last probes took. */
static struct osw_claim_beside median_probe(const struct osw_blocks *s)
{
    size_t n =
        s->n_probes < OSW_BLOCKS_PROBES ? s->n_probes : OSW_BLOCKS_PROBES;
    double wall[OSW_BLOCKS_PROBES], run[OSW_BLOCKS_PROBES],
        cpu[OSW_BLOCKS_PROBES];

    if (n == 0)
        return (struct osw_claim_beside){.wall_ns = 0};
    for (size_t i = 0; i < n; i++) {
        wall[i] = s->probes[i].wall_ns;
        run[i] = s->probes[i].run_ns;
        cpu[i] = s->probes[i].cpu_ns;
    }
    return (struct osw_claim_beside){osw_samples_median(wall, n),
                                     osw_samples_median(run, n),
                                     osw_samples_median(cpu, n)};
}

/* The sandbox could delay requests without calls, so their time counts only up
 * to a limit.  Outputs that the op allocates are copied after the calls; the
 * copies may take as long as the calls.
 */
static struct osw_claim_beside beside(const struct osw_blocks *s)
{
    struct osw_claim_beside m = median_probe(s);
    double most = s->sandbox->traits.own_outputs
                      ? INFINITY
                      : MOST_BESIDE * (double)s->account.wall_ns +
                            s->sample_ns * s->n_block;

    return (struct osw_claim_beside){
        .wall_ns = fmin(s->slower * m.wall_ns, most),
        .run_ns = fmin(s->slower * m.run_ns, most),
        .cpu_ns = fmin(s->slower * m.cpu_ns, most)};
}

static enum osw_claim_verdict judge_stamped(struct osw_blocks *s)
{
    return osw_claim_judge_stamped(s->reply.samples, s->stamps, s->n_stamps,
                                   s->floor_ns, s->account.held_known,
                                   s->scratch);
}

/* A sample is long enough for any clock that runs; but one of a single short
 * call may be shorter than a clock's step, and all of them are not.
 */
static bool has_no_time(const struct osw_blocks *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->reply.n; i++)
        n += s->reply.samples[i] <= 0;
    return n > 0 &&
           (s->n_inner > 1 || s->call_ns > STEPS_NS || n == s->reply.n);
}

static enum osw_claim_verdict judge_whole(struct osw_blocks *s)
{
    struct osw_claim_beside other = beside(s);

    if (has_no_time(s))
        return OSW_CLAIM_REFUTED;
    return osw_claim_judge(osw_blocks_claimed_ns(s), &other, &s->account,
                           s->n_threads);
}

/* Where inputs are restored, most of a block's time is copies, and that time is
 * not known well.  So stamped blocks decide, and other blocks must agree with
 * them.
 */
static enum osw_claim_verdict judge_copies(struct osw_blocks *s)
{
    double median =
        osw_samples_median_f32(s->reply.samples, s->reply.n, s->scratch);

    return median < STAMPED_PART * s->stamped_ns ? OSW_CLAIM_REFUTED
                                                 : OSW_CLAIM_CONFIRMED;
}

static bool can_grow(const struct osw_measure_job *job,
                     const struct osw_blocks *s)
{
    return !osw_blocks_are_stamped(job) && !s->copies &&
           (2 * s->n_block <= OSW_PROTOCOL_MAX_SAMPLES ||
            (!job->restores && 2 * s->n_inner <= OSW_BLOCKS_MAX_INNER));
}

/* What a request takes beside its calls, and the waits for a core before them,
 * weigh less in a longer block: a short one is no evidence against a clock, and
 * a slow one shows in blocks of any length.
 */
static bool is_short(const struct osw_measure_job *job,
                     const struct osw_blocks *s, enum osw_claim_verdict verdict)
{
    return can_grow(job, s) && s->account.wall_ns < BUSY_NS &&
           (verdict == OSW_CLAIM_UNCLEAR ||
            fmax(osw_blocks_claimed_ns(s), (double)s->account.cpu_ns) <
                OSW_BLOCKS_LONGEST_NS);
}

/* Does the judge's clock confirm what the block claims? */
static bool is_confirmed(const struct osw_measure_job *job,
                         struct osw_blocks *s)
{
    enum osw_claim_verdict verdict;

    if (!s->checked)
        return true;
    verdict = osw_blocks_are_stamped(job) ? judge_stamped(s)
              : s->copies                 ? judge_copies(s)
                                          : judge_whole(s);
    if (s->copies && verdict == OSW_CLAIM_CONFIRMED)
        return s->trusted || s->tally.confirmed >= ENOUGH_CONFIRMED;
    s->is_short = verdict != OSW_CLAIM_CONFIRMED && is_short(job, s, verdict);
    if (!s->is_short)
        osw_claim_count(&s->tally, verdict);
    return verdict == OSW_CLAIM_CONFIRMED;
}

/* Twice as long, with probes of that length.  As osw_blocks_ask. */
static int double_block(const struct osw_measure_job *job, struct osw_blocks *s)
{
    if (2 * s->n_block <= OSW_PROTOCOL_MAX_SAMPLES)
        s->n_block *= 2;
    else
        s->n_inner *= 2;
    s->n_probes = 0;
    return probe_request(job, s);
}

/* Time a few calls by the judge's own clock, in the same way as all others: the
 * timed code cannot tell which calls count.
 */
static int check_stamped(const struct osw_measure_job *job,
                         struct osw_blocks *s)
{
    int64_t least = STAMPED_NS / s->call_ns,
            n = OSW_BLOCKS_CHECKED_NS / s->call_ns + 1;
    enum osw_claim_verdict verdict;

    least = least < STAMPED_LEAST ? least + 1 : STAMPED_LEAST;
    n = n > STAMPED_CALLS ? STAMPED_CALLS : n < least ? least : n;
    if (osw_blocks_ask_stamped(job, s, (uint32_t)n, 1) < 0)
        return -1;
    verdict = judge_stamped(s);
    osw_claim_count(&s->tally, verdict);
    for (uint32_t k = 0; verdict == OSW_CLAIM_CONFIRMED && k < s->reply.n; k++)
        if (s->stamped_ns == 0 || (double)s->reply.samples[k] < s->stamped_ns)
            s->stamped_ns = (double)s->reply.samples[k];
    return 0;
}

int osw_blocks_probe(const struct osw_measure_job *job, struct osw_blocks *s)
{
    if (!s->checked)
        return 0;
    return s->copies                     ? check_stamped(job, s)
           : osw_blocks_are_stamped(job) ? osw_blocks_probe_stamps(job, s)
                                         : probe_request(job, s);
}

int osw_blocks_check(const struct osw_measure_job *job, struct osw_blocks *s)
{
    int n_threads = osw_sandbox_threads(s->sandbox);

    s->checked = OSW_CHECKS(IMPLAUSIBLE) && s->watched;
    if (!s->checked)
        return 0;
    if (s->n_threads < n_threads)
        s->n_threads = n_threads;
    s->copies =
        !osw_blocks_are_stamped(job) && job->restore_bytes >= STAMPED_BYTES;
    if (osw_blocks_are_stamped(job) || s->copies) {
        if (osw_blocks_probe_stamps(job, s) < 0)
            return -1;
        for (int i = 0; s->copies && !s->trusted && i < STAMPED_BLOCKS &&
                        s->tally.confirmed < ENOUGH_CONFIRMED;
             i++)
            if (check_stamped(job, s) < 0)
                return -1;
        return 0;
    }
    s->sample_ns = PROBE_NS;
    s->slower = job->restores ? AFTER_CALL : 1;
    if (job->restores)
        s->sample_ns =
            RESTORE_NS + COPY_FACTOR * osw_claim_copy_ns(job->restore_bytes);
    for (int i = 0; i < FIRST_PROBES; i++)
        if (probe_request(job, s) < 0)
            return -1;
    return 0;
}

/* All samples of a confirmed block together agree with its time.  A median far
 * below their mean is not trusted: then the time of a call by the judge's clock
 * counts, unless this happens only now and then.
 */
static double keep_to_clock(struct osw_blocks *s, double median)
{
    double calls = (double)s->reply.n * s->n_inner;
    struct osw_claim_beside other = beside(s);
    double least = OSW_CLAIM_LEAST / calls *
                   osw_claim_least_ns(&other, &s->account, s->n_threads);

    s->n_judged++;
    s->n_skewed += median < least;
    if (median >= least || s->n_skewed * SELDOM <= s->n_judged)
        return median;
    for (uint32_t i = 0; i < s->reply.n; i++)
        s->reply.samples[i] = fmaxf(s->reply.samples[i], (float)least);
    return osw_samples_median_f32(s->reply.samples, s->reply.n, s->scratch);
}

/* Its median, and of its samples as many as the record has room for: one, at
 * random, of each of so many parts.
 */
static void keep_block(const struct osw_measure_job *job, struct osw_blocks *s)
{
    double median =
        osw_samples_median_f32(s->reply.samples, s->reply.n, s->scratch);

    if (s->checked && !s->copies && !osw_blocks_are_stamped(job))
        median = keep_to_clock(s, median);
    s->timer = s->reply.timer;
    s->spread_sum += s->spread_ns;
    s->n_spreads++;
    if (s->n_medians < 2 * OSW_BLOCKS_MAX_ROUNDS)
        s->medians[s->n_medians++] = median;
    for (uint32_t i = 0; s->samples && i < s->n_keep; i++)
        if (s->n < OSW_RECORD_MAX_SAMPLES)
            s->samples[s->n++] = s->reply.samples[i * s->reply.n / s->n_keep +
                                                  osw_random_next(job->random) %
                                                      (s->reply.n / s->n_keep)];
}

/* The last request is one with calls: it may be verified. */
enum osw_blocks_kept osw_blocks_take(const struct osw_measure_job *job,
                                     struct osw_blocks *s)
{
    for (int i = 0; i < TRIES; i++) {
        if (i > 0 && s->is_short && double_block(job, s) < 0)
            return OSW_BLOCKS_FAILED;
        if (ask_block(job, s, s->n_inner) < 0)
            return OSW_BLOCKS_FAILED;
        if (is_confirmed(job, s)) {
            keep_block(job, s);
            return OSW_BLOCKS_KEPT;
        }
        if (!s->trusted && osw_claim_is_false(&s->tally))
            break;
    }
    if (!s->trusted)
        return OSW_BLOCKS_UNCONFIRMED;
    keep_block(job, s);
    return OSW_BLOCKS_KEPT;
}
