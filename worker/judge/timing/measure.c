/* worker/judge/timing/measure.c - how long an implementation takes, against
 * another */
#include "worker/judge/timing/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "ops/state.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/timing/claim.h"
#include "worker/judge/timing/roofline.h"
#include "worker/judge/timing/samples.h"

enum {
    SAMPLE_NS = 20000,   /* a sample is at least about so long */
    MAX_INNER = 1 << 16, /* calls in it */
    MIN_BLOCKS = 80,     /* that all samples are spread over, at least */
    MAX_ROUNDS = 1024,
    SLOW_BASELINE = 4, /* times the time limit: not waited for */
    DEADLINE_FACTOR = 20,
    CHECKED_NS = 500000, /* a block that the judge's clock can check takes so
                            long at least */
    REQUEST_NS = 500000, /* more than a request takes beside its calls */
    PROBES = 16,         /* requests without calls that are remembered */
    FIRST_PROBES = 3,
    LENGTHENINGS = 3,
    LONGEST_NS = 10000000, /* that blocks are lengthened to */
    TRIES = 4,             /* for a block that the judge's clock confirms */
    LEAST_TRIED = 8,       /* blocks, before want of time ends it without one */
    PATIENCE = 4,     /* times the time limit, while there is no such round */
    PROBE_NS = 100,   /* of a sample beside its calls, at most */
    RESTORE_NS = 300, /* and beside its copies */
    COLD_NS = 30000,  /* and of a sample that is a request of its own */
    DEVICE_BLOCK = 8, /* samples of one launch on a device */
    BESIDE = 16,      /* samples of each kind beside the cold ones */
    BESIDE_NS = 10000000, /* and what they may take */
    HOT_NS = 50000,       /* a sample with warm caches is at least so long */
    CHECK_NS = 300000,    /* of calls under the judge's own clock */
    CLOCK_TRIES = 5,
};

/* By how much the same code differs from process to process on a device, for
 * the life of both, wherever code and data are put: seen on an H200, of 112
 * ratios of identical code; 95 % of them lie within.  No number of samples of
 * one pair of processes shows it, so intervals contain it.
 */
#define PROCESS_NS   250.0
#define PROCESS_PART 0.003

/* Of a block's time, what its request may take; and of the judge's own copies,
 * what a sandbox's may take.
 */
#define MOST_BESIDE 0.05
#define SMALL_PART  0.12
#define COPY_FACTOR 1.5
#define ALMOST      0.8
#define ONE_THREAD  1.05 /* of processor time over time */

/* A block that is skewed in less than one of so many says nothing. */
#define SELDOM 3

/* Claims below this share of the judge's clock are none, on a device. */
#define LEAST_CLAIM 0.5

_Static_assert(2 * MAX_ROUNDS >= OSW_RECORD_MAX_SAMPLES, "scratch memory");

struct side {
    struct osw_sandbox *sandbox;
    int64_t call_ns; /* estimate of one call */
    uint32_t n_inner;
    uint32_t n_block;
    uint32_t n_keep; /* samples of a block that go to the record */
    float *samples;  /* [OSW_RECORD_MAX_SAMPLES], or NULL: not kept */
    uint32_t n;
    double *medians; /* [2 * MAX_ROUNDS] of its blocks, two a round */
    size_t n_medians;
    double *scratch; /* [2 * MAX_ROUNDS], as many as samples at most */
    bool watched;    /* the accounts of its requests are kept */
    bool checked;    /* and its claims held against the judge's clock */
    int n_threads;
    struct osw_claim_account account;       /* of the last request, or block */
    struct osw_claim_beside probes[PROBES]; /* requests without calls */
    size_t n_probes;
    double sample_ns; /* what comes before a sample may take */
    struct osw_claim_tally tally;
    uint32_t n_judged, n_skewed; /* blocks; with few samples for its time */
    uint8_t timer;               /* enum osw_timer of the last block */
    struct osw_time_reply reply;
    char text[256];
};

/* --- one request --- */

/* How many threads its calls keep busy shows where all of them get a core. */
static void watch(struct side *s, const struct osw_claim_account *before)
{
    double busy;

    s->account = osw_claim_account_since(before, s->sandbox);
    busy = (double)s->account.cpu_ns / (double)s->account.wall_ns;
    if (busy > ONE_THREAD * s->n_threads)
        s->n_threads = (int)ceil(busy);
}

static int ask_for(const struct osw_measure_job *job, struct side *s,
                   const struct osw_time_request *request)
{
    uint32_t n_samples = request->n_samples, n_inner = request->n_inner;
    int64_t expected = s->call_ns * n_samples * n_inner, deadline;
    struct osw_claim_account before = {0};
    unsigned char bytes[64];
    struct osw_writer w = osw_writer(bytes, sizeof(bytes));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    deadline = expected < INT64_MAX / DEADLINE_FACTOR
                   ? expected * DEADLINE_FACTOR
                   : INT64_MAX;
    if (deadline < job->deadline_ns)
        deadline = job->deadline_ns;
    osw_protocol_put_time(&w, request);
    osw_sandbox_drain(s->sandbox);
    if (s->watched && s->sandbox->pid)
        before = osw_claim_account_now(s->sandbox);
    if (osw_sandbox_send(s->sandbox, &w) < 0 ||
        osw_sandbox_receive(s->sandbox, OSW_TALK_SAMPLES, deadline, &r) < 0)
        return -1;
    if (s->watched)
        watch(s, &before);
    if (osw_protocol_get_samples(&r, &s->reply, &err) < 0 ||
        (s->reply.code == 0 && s->reply.n != n_samples)) {
        osw_sandbox_fail_protocol(
            s->sandbox, err.text[0] ? err.text : "samples are missing");
        return -1;
    }
    if (s->reply.code != 0) {
        snprintf(s->text, sizeof(s->text), "%s", s->reply.text);
        return -1;
    }
    return 0;
}

static int ask(const struct osw_measure_job *job, struct side *s,
               uint32_t n_samples, uint32_t n_inner)
{
    const struct osw_time_request request = {
        .n_samples = n_samples, .n_inner = n_inner, .cold = job->cold};

    return ask_for(job, s, &request);
}

/* --- sides --- */

/* The median of n samples, by way of scratch memory for as many. */
static double median_of(double *scratch, const float *samples, size_t n)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = (double)samples[i];
    osw_samples_sort(scratch, n);
    return osw_samples_quantile(scratch, n, 0.5);
}

/* --- blocks --- */

/* A processor's caches are cleared by a request of its own, so that the judge's
 * clock sees the call alone.
 */
static int ask_cold(const struct osw_measure_job *job, struct side *s,
                    uint32_t n_inner)
{
    const struct osw_time_request clear = {.n_samples = 1, .cold = true},
                                  one = {.n_samples = 1,
                                         .n_inner = n_inner,
                                         .bare = true};
    struct osw_claim_account sum = {.held_known = true};

    for (uint32_t i = 0; i < s->n_block; i++) {
        if (ask_for(job, s, &clear) < 0 || ask_for(job, s, &one) < 0)
            return -1;
        s->scratch[i] = (double)s->reply.samples[0];
        sum.wall_ns += s->account.wall_ns;
        sum.held_ns += s->account.held_ns;
        sum.cpu_ns += s->account.cpu_ns;
        sum.held_known &= s->account.held_known;
    }
    for (uint32_t i = 0; i < s->n_block; i++)
        s->reply.samples[i] = (float)s->scratch[i];
    s->reply.n = s->n_block;
    s->account = sum;
    return 0;
}

static int ask_block(const struct osw_measure_job *job, struct side *s,
                     uint32_t n_inner)
{
    return job->cold && !job->device ? ask_cold(job, s, n_inner)
                                     : ask(job, s, s->n_block, n_inner);
}

/* Half of what a call of the last request took by the judge's clock, at least:
 * blocks cut by a slow clock would never end.
 */
static int64_t least_call_ns(const struct osw_measure_job *job,
                             const struct side *s)
{
    int64_t ns = s->account.wall_ns - s->account.held_ns - REQUEST_NS;

    return s->watched && !job->cold && ns > 0 ? ns / s->reply.n / 2 : 0;
}

/* How many samples, of how many calls, a block has. */
static void cut_blocks(const struct osw_measure_job *job, struct side *s)
{
    const struct osw_profile *p = job->profile;
    int64_t sample_ns;

    s->n_inner = 1;
    if (!job->restores && !job->cold && s->call_ns < SAMPLE_NS)
        s->n_inner = (uint32_t)(SAMPLE_NS / s->call_ns + 1);
    if (s->n_inner > MAX_INNER)
        s->n_inner = MAX_INNER;
    sample_ns = s->call_ns * s->n_inner;
    s->n_block = (uint32_t)(p->block_ns / sample_ns + 1);
    if (s->n_block > p->max_samples / MIN_BLOCKS)
        s->n_block = p->max_samples / MIN_BLOCKS;
    if (s->n_block == 0)
        s->n_block = 1;
    if (job->device && s->call_ns * DEVICE_BLOCK < p->time_cap_ns / MIN_BLOCKS)
        s->n_block =
            (s->n_block + DEVICE_BLOCK - 1) / DEVICE_BLOCK * DEVICE_BLOCK;
    s->n_keep = s->n_block;
    if (!job->device && !job->cold && s->n_block * sample_ns < CHECKED_NS)
        s->n_block = (uint32_t)(CHECKED_NS / sample_ns + 1);
    if (s->n_block > OSW_PROTOCOL_MAX_SAMPLES)
        s->n_block = OSW_PROTOCOL_MAX_SAMPLES;
}

static double claimed_ns(const struct side *s)
{
    double ns = 0;

    for (uint32_t i = 0; i < s->reply.n; i++)
        ns += (double)s->reply.samples[i] * s->n_inner;
    return ns;
}

/* What a request takes beside its calls is to be little against them, and calls
 * in a row may be much faster than the first ones.
 */
static int lengthen_block(const struct osw_measure_job *job, struct side *s)
{
    double least_ns, ns, n;

    if (job->cold || !s->watched)
        return 0;
    if (ask(job, s, 1, 0) < 0)
        return -1;
    ns = (double)(s->account.wall_ns - s->account.held_ns);
    least_ns = fmin(fmax(ns / SMALL_PART, CHECKED_NS), LONGEST_NS);
    for (int i = 0; i < LENGTHENINGS; i++) {
        if (ask_block(job, s, s->n_inner) < 0)
            return -1;
        ns = fmax((double)(s->account.wall_ns - s->account.held_ns),
                  claimed_ns(s));
        if (ns >= ALMOST * least_ns)
            break;
        n = ceil(s->n_block * least_ns / fmax(ns, 1));
        s->n_block = (uint32_t)fmin(n, OSW_PROTOCOL_MAX_SAMPLES);
    }
    return 0;
}

/* First calls are warm-up; the fastest of a few says how to cut blocks. */
static int calibrate(const struct osw_measure_job *job, struct side *s)
{
    const struct osw_profile *p = job->profile;
    uint32_t n = p->n_warmup + 1;
    int64_t least_ns;
    float fastest;

    if (ask(job, s, 1, 1) < 0)
        return -1;
    s->call_ns = (int64_t)s->reply.samples[0] + 1;
    least_ns = least_call_ns(job, s);
    if (s->call_ns < least_ns)
        s->call_ns = least_ns;
    if (s->call_ns * n < p->time_cap_ns / 2 && ask(job, s, n, 1) < 0)
        return -1;
    if (least_call_ns(job, s) < least_ns)
        least_ns = least_call_ns(job, s);
    fastest = s->reply.samples[0];
    for (uint32_t i = 1; i < s->reply.n; i++)
        if (s->reply.samples[i] < fastest)
            fastest = s->reply.samples[i];
    s->call_ns = (int64_t)fastest + 1;
    if (s->call_ns < least_ns)
        s->call_ns = least_ns;
    cut_blocks(job, s);
    return lengthen_block(job, s);
}

/* A block without calls: what the request and what comes before samples take.
 */
static int probe(const struct osw_measure_job *job, struct side *s)
{
    if (!s->checked)
        return 0;
    if (ask_block(job, s, 0) < 0)
        return -1;
    s->probes[s->n_probes++ % PROBES] = (struct osw_claim_beside){
        .wall_ns = (double)s->account.wall_ns,
        .run_ns = (double)(s->account.wall_ns - s->account.held_ns)};
    return 0;
}

static double median_probe(const struct side *s, bool run)
{
    size_t n = s->n_probes < PROBES ? s->n_probes : PROBES;
    double ns[PROBES];

    for (size_t i = 0; i < n; i++)
        ns[i] = run ? s->probes[i].run_ns : s->probes[i].wall_ns;
    osw_samples_sort(ns, n);
    return n ? osw_samples_quantile(ns, n, 0.5) : 0;
}

/* The sandbox could take its time over requests without calls, so what they
 * took counts up to what they may take.  Outputs that it makes itself are
 * copied behind the calls, which may take as long as these.
 */
static struct osw_claim_beside beside(const struct side *s)
{
    double most = s->sandbox->traits.own_outputs
                      ? INFINITY
                      : MOST_BESIDE * (double)s->account.wall_ns +
                            s->sample_ns * s->n_block;

    return (struct osw_claim_beside){
        .wall_ns = fmin(median_probe(s, false), most),
        .run_ns = fmin(median_probe(s, true), most)};
}

/* Does the judge's clock confirm what the block claims? */
static bool is_confirmed(struct side *s)
{
    struct osw_claim_beside other = beside(s);
    enum osw_claim_verdict verdict;

    if (!s->checked)
        return true;
    verdict = osw_claim_judge(claimed_ns(s), &other, &s->account, s->n_threads);
    osw_claim_count(&s->tally, verdict);
    return verdict == OSW_CLAIM_CONFIRMED;
}

/* All samples of a confirmed block fit its time together.  A median far below
 * their mean is worth no more than what the judge's clock says of a call,
 * unless that comes only now and then.
 */
static double keep_to_clock(struct side *s, double median)
{
    double calls = (double)s->n_block * s->n_inner;
    double least =
        OSW_CLAIM_LEAST *
        ((double)(s->account.wall_ns - s->account.held_ns) - beside(s).run_ns) /
        calls;

    s->n_judged++;
    s->n_skewed += median < least;
    if (median >= least || s->n_skewed * SELDOM <= s->n_judged)
        return median;
    for (uint32_t i = 0; i < s->reply.n; i++)
        s->reply.samples[i] = fmaxf(s->reply.samples[i], (float)least);
    return median_of(s->scratch, s->reply.samples, s->reply.n);
}

/* Its median, and of its samples as many as the record has room for, evenly. */
static void keep_block(struct side *s)
{
    double median = median_of(s->scratch, s->reply.samples, s->reply.n);

    if (s->checked)
        median = keep_to_clock(s, median);
    s->timer = s->reply.timer;
    if (s->n_medians < 2 * MAX_ROUNDS)
        s->medians[s->n_medians++] = median;
    for (uint32_t i = 0; s->samples && i < s->n_keep; i++)
        if (s->n < OSW_RECORD_MAX_SAMPLES)
            s->samples[s->n++] =
                s->reply.samples[(2 * i + 1) * s->n_block / (2 * s->n_keep)];
}

enum kept {
    KEPT,
    UNCONFIRMED, /* not one of some tries */
    FAILED,      /* it died, or its call failed */
};

static enum kept block(const struct osw_measure_job *job, struct side *s)
{
    for (int i = 0; i < TRIES; i++) {
        if (ask_block(job, s, s->n_inner) < 0)
            return FAILED;
        if (is_confirmed(s)) {
            keep_block(s);
            return KEPT;
        }
        if (osw_claim_is_false(&s->tally))
            break;
    }
    return UNCONFIRMED;
}

/* --- rounds --- */

struct measure {
    const struct osw_measure_job *job;
    struct osw_record *record;
    struct side *own, *base; /* base NULL: nothing to compare with */
    int64_t started_ns;
    size_t n_rounds, next_look;
    struct osw_summary summary; /* of all samples; its interval over rounds */
    struct osw_speedup speedup;
};

/* A B B A or B A A B: either cancels drift that is linear in time.  Alone, two
 * blocks.  A round with a block that the judge's clock does not confirm does
 * not count.
 */
static int take_round(struct measure *m)
{
    bool swapped = osw_random_next(m->job->random) & 1;
    uint32_t n = m->own->n;

    if (probe(m->job, m->own) < 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        bool outer = i == 0 || i == 3;
        struct side *s = outer != swapped ? m->base : m->own;
        enum kept kept = s ? block(m->job, s) : KEPT;

        if (kept == KEPT)
            continue;
        if (kept == FAILED && s == m->own)
            return -1;
        if (kept == FAILED) {
            m->base = NULL; /* the candidate goes on alone */
            continue;
        }
        m->own->n = n;
        m->own->n_medians = 2 * m->n_rounds;
        if (m->base)
            m->base->n_medians = 2 * m->n_rounds;
        return 0;
    }
    m->n_rounds++;
    return 0;
}

enum renewed {
    RENEWED,
    LOST_BASE, /* or a sandbox for it could not be made */
    LOST_OWN,  /* the candidate died or failed: it ends as that */
};

/* Fresh sandboxes, and one call to settle each.  In random order: the kernel
 * hands freed pages out again, last one first, so that the order of coming
 * decides who gets which.
 */
static enum renewed renew(struct measure *m)
{
    struct side *sides[2] = {m->own, m->base};
    size_t n = m->base ? 2 : 1;
    struct osw_sandbox **sandboxes[2];

    if (n == 2 && (osw_random_next(m->job->random) & 1)) {
        sides[0] = m->base;
        sides[1] = m->own;
    }
    for (size_t i = 0; i < n; i++)
        sandboxes[i] = &sides[i]->sandbox;
    if (!m->job->renew(m->job->renew_arg, sandboxes, n))
        return m->job->failed->status_id != OSW_STATE_NONE ? LOST_OWN
               : m->own->sandbox && osw_sandbox_alive(m->own->sandbox)
                   ? LOST_BASE
                   : LOST_OWN;
    /* A device has run each of them once by now, and captures the next calls
     * as a whole.
     */
    for (size_t i = 0; i < n && !m->job->device; i++)
        if (ask(m->job, sides[i], 1, 1) < 0)
            return sides[i] == m->own ? LOST_OWN : LOST_BASE;
    return RENEWED;
}

/* Samples of one round share their sandbox, so they say less than they count:
 * the interval of the median is over rounds as soon as there are enough.
 */
static void summarize(struct measure *m)
{
    struct side *own = m->own;
    struct osw_summary rounds;

    for (uint32_t i = 0; i < own->n; i++)
        own->scratch[i] = (double)own->samples[i];
    osw_samples_summarize(own->scratch, own->n, &m->summary);
    for (size_t i = 0; i < own->n_medians / 2; i++)
        own->scratch[i] = 0.5 * (own->medians[2 * i] + own->medians[2 * i + 1]);
    osw_samples_summarize(own->scratch, own->n_medians / 2, &rounds);
    m->summary.ci_lo = rounds.ci_lo;
    m->summary.ci_hi = rounds.ci_hi;
    if (m->base)
        osw_samples_speedup(m->base->medians, own->medians, m->n_rounds,
                            &m->speedup);
}

static bool narrow(double lo, double value, double hi, double target)
{
    return !isnan(lo) && !isnan(hi) && hi - lo <= 2 * target * value;
}

/* Who looks after every round stops at the first interval that is narrow by
 * chance, and such intervals miss more often than they say: so look seldom.
 */
static bool is_time_to_look(struct measure *m)
{
    if (m->n_rounds == 0 || m->n_rounds < m->next_look)
        return false;
    m->next_look += m->next_look / 2;
    return true;
}

/* Without a confirmed round, what is false takes some blocks to show. */
static bool is_time_over(const struct measure *m)
{
    int64_t limit_ns = m->job->profile->time_cap_ns;

    if (m->n_rounds == 0 && osw_claim_blocks(&m->own->tally) < LEAST_TRIED)
        return false;
    return osw_clock_ns() - m->started_ns >=
           (m->n_rounds ? 1 : PATIENCE) * limit_ns;
}

static enum osw_stop should_stop(struct measure *m)
{
    const struct osw_profile *p = m->job->profile;
    const struct osw_summary *s = &m->summary;
    const struct osw_speedup *r = &m->speedup;

    if (is_time_to_look(m) && m->own->n >= p->min_samples &&
        narrow(s->ci_lo, s->median, s->ci_hi, p->ci_target) &&
        (!m->base || narrow(r->lo, r->ratio, r->hi, p->ci_target)))
        return OSW_STOP_CONVERGED;
    if (m->own->n >= p->max_samples || m->n_rounds >= MAX_ROUNDS)
        return OSW_STOP_MAX_SAMPLES;
    if (is_time_over(m))
        return OSW_STOP_TIME_LIMIT;
    return OSW_STOP_NONE;
}

static int sample(struct measure *m)
{
    enum osw_stop stop;

    for (;;) {
        if (take_round(m) < 0)
            return -1;
        if (osw_claim_is_false(&m->own->tally))
            return 0;
        if (m->n_rounds)
            summarize(m);
        stop = should_stop(m);
        if (stop == OSW_STOP_NONE && m->job->renew) {
            enum renewed renewed = renew(m);

            if (renewed == LOST_OWN)
                return -1;
            if (renewed == LOST_BASE)
                stop = OSW_STOP_TIME_LIMIT; /* what there is stands */
        }
        if (stop != OSW_STOP_NONE)
            break;
    }
    m->record->stop_id = (uint8_t)stop;
    return 0;
}

/* --- the record --- */

static void end_failed(struct measure *m)
{
    struct osw_sandbox *sandbox = m->own->sandbox;
    struct osw_record *r = m->record;
    const char *text = m->own->text;

    r->phase_id = OSW_PHASE_TIME;
    if (m->job->failed->status_id != OSW_STATE_NONE) {
        r->status_id = m->job->failed->status_id;
        r->signal = m->job->failed->signal;
        r->exit_code = m->job->failed->exit_code;
        text = m->job->failed->reason;
    } else if (sandbox && osw_sandbox_alive(sandbox)) {
        r->status_id = m->own->reply.code < 0 || m->own->reply.lost
                           ? OSW_STATE_CUDA
                           : OSW_STATE_RETURNED;
        r->exit_code = m->own->reply.code;
        if (m->own->reply.lost)
            osw_sandbox_end_as(sandbox, OSW_STATE_CUDA, text);
    } else {
        r->status_id = (uint8_t)sandbox->end.state;
        r->signal = sandbox->end.signal;
        r->exit_code = sandbox->end.exit_code;
        text = sandbox->end.text;
    }
    r->reason =
        osw_arena_printf(m->job->memory, "while it was timed: %s",
                         text && text[0] ? text : "it returned an error");
}

/* Verdicts on a clock that ran in the candidate's own process. */
static void end_implausible(struct measure *m)
{
    const struct osw_claim_tally *t = &m->own->tally;

    m->record->status_id = OSW_STATE_IMPLAUSIBLE;
    m->record->phase_id = OSW_PHASE_TIME;
    m->record->reason = osw_arena_printf(
        m->job->memory,
        "its blocks of calls take longer by the judge's clock than they claim: "
        "%u of %u",
        t->refuted + t->doubted, osw_claim_blocks(t));
}

static void end_too_busy(struct measure *m)
{
    const struct osw_claim_tally *t = &m->own->tally;

    m->record->status_id = OSW_STATE_SKIPPED;
    m->record->phase_id = OSW_PHASE_TIME;
    m->record->reason = osw_arena_printf(
        m->job->memory,
        "machine too busy: the judge's clock confirms the times of %u blocks "
        "of "
        "%u",
        t->confirmed, osw_claim_blocks(t));
}

/* --- beside the samples, on a device --- */

/* As many samples, up to n, as take no longer than BESIDE_NS; 2 at least. */
static uint32_t affordable(const struct measure *m, uint32_t n)
{
    double fit = BESIDE_NS / (m->summary.median + 1);

    return fit >= n ? n : fit > 2 ? (uint32_t)fit : 2;
}

/* The median of some samples; NaN when they could not be taken. */
static double median_beside(struct measure *m, uint32_t n_inner, bool wall)
{
    const struct osw_time_request request = {
        .n_samples = affordable(m, BESIDE), .n_inner = n_inner, .wall = wall};

    if (ask_for(m->job, m->own, &request) < 0)
        return NAN;
    return median_of(m->own->scratch, m->own->reply.samples, m->own->reply.n);
}

/* What n_inner calls per sample take by the judge's clock, ns per request;
 * the first request of a kind may have to capture them.
 */
static double clock_request(struct measure *m, uint32_t n_samples,
                            uint32_t n_inner)
{
    const struct osw_time_request request = {.n_samples = n_samples,
                                             .n_inner = n_inner};
    int64_t t0;

    if (ask_for(m->job, m->own, &request) < 0)
        return NAN;
    t0 = osw_clock_ns();
    if (ask_for(m->job, m->own, &request) < 0)
        return NAN;
    return (double)(osw_clock_ns() - t0);
}

/* ns per call, by the judge's clock alone: once, over calls of so long. */
static double clock_once(struct measure *m, double ns)
{
    double hot = m->record->t_hot_ns + 1, once, thrice;
    uint32_t n =
        ns < DEVICE_BLOCK * hot ? (uint32_t)(ns / hot) + 1 : DEVICE_BLOCK;
    uint32_t k = (uint32_t)(ns / (hot * n)) + 1;

    if (osw_random_next(m->job->random) & 1) {
        once = clock_request(m, n, k);
        thrice = clock_request(m, n, 3 * k);
    } else {
        thrice = clock_request(m, n, 3 * k);
        once = clock_request(m, n, k);
    }
    return (thrice - once) / (2.0 * k * n);
}

/* The least of a few, since what comes between only makes it longer; in doubt
 * over more calls, for which it counts less.  NaN when calls failed.
 */
static double judge_clock(struct measure *m, double claim)
{
    double least = INFINITY, ns = CHECK_NS;

    for (int i = 0; i < CLOCK_TRIES && claim < LEAST_CLAIM * least; i++) {
        double once = clock_once(m, ns);

        if (isnan(once))
            return NAN;
        least = fmin(least, once);
        ns *= 2;
    }
    return least;
}

/* What is claimed of a call as the judge sees it: where calls are made one by
 * one, and not by a graph, the host may be what takes longest.
 */
static double claim_of(const struct measure *m)
{
    const struct osw_record *r = m->record;

    return r->timer_id == OSW_TIMER_GRAPH ? r->t_hot_ns
                                          : fmax(r->t_hot_ns, r->t_wall_ns);
}

static void end_claim(struct measure *m, const char *of, double claim,
                      double least, const char *by)
{
    m->record->status_id = OSW_STATE_IMPLAUSIBLE;
    m->record->phase_id = OSW_PHASE_TIME;
    m->record->reason =
        osw_arena_printf(m->job->memory, "claims %s of %.3f us, %s %.3f us", of,
                         claim * 1e-3, by, least * 1e-3);
}

/* Warm and wall time, and whether claims can be true.  In-place arguments are
 * put back between calls, which these would count.
 */
static void look_beside(struct measure *m)
{
    struct osw_record *r = m->record;
    double claim, judged;

    r->t_floor_ns = m->job->floor_ns;
    r->t_light_ns = m->job->light_ns;
    if (m->job->restores)
        return;
    r->t_hot_ns = median_beside(m, 1, false);
    if (r->t_hot_ns < HOT_NS)
        r->t_hot_ns =
            median_beside(m, (uint32_t)(HOT_NS / (r->t_hot_ns + 1)) + 1, false);
    r->t_wall_ns = median_beside(m, 1, true);
    if (isnan(r->t_hot_ns) || isnan(r->t_wall_ns)) {
        end_failed(m);
        return;
    }
    if (!OSW_CHECKS(IMPLAUSIBLE))
        return;
    claim = claim_of(m);
    judged = judge_clock(m, claim);
    if (isnan(judged))
        end_failed(m);
    else if (claim < LEAST_CLAIM * judged)
        end_claim(m, "a call", claim, judged, "the judge's clock says");
    else if (!osw_roofline_allows(r->t_median_ns, r->t_light_ns))
        end_claim(m, "a cold call", r->t_median_ns, r->t_light_ns,
                  "its bytes and operations take");
}

static void keep_summary(struct measure *m)
{
    const struct osw_summary *s = &m->summary;
    struct osw_record *r = m->record;

    r->t_min_ns = s->min;
    r->t_q1_ns = s->q1;
    r->t_median_ns = s->median;
    r->t_q3_ns = s->q3;
    r->t_p95_ns = s->p95;
    r->t_max_ns = s->max;
    r->t_mean_ns = s->mean;
    r->t_mad_ns = s->mad;
    r->t_ci_lo_ns = s->ci_lo;
    r->t_ci_hi_ns = s->ci_hi;
    r->samples = m->own->samples;
    r->sample_n = m->own->n;
    r->n_inner = m->own->n_inner;
    r->n_warmup = m->job->profile->n_warmup + 2;
    r->cold = m->job->cold;
    r->timer_id = m->own->timer;
    r->gbps = r->bytes / s->median;
    r->gflops = r->flops / s->median;
}

/* What processes differ by is added to an interval around `value`, as errors
 * of independent causes are.
 */
static void add_process(const struct measure *m, double value, double *lo,
                        double *hi)
{
    double part = PROCESS_NS / m->summary.median, below, above;

    if (!m->job->device || isnan(*lo) || isnan(*hi))
        return;
    part = hypot(part, PROCESS_PART) * value;
    below = hypot(value - *lo, part);
    above = hypot(*hi - value, part);
    *lo = value - below;
    *hi = value + above;
}

static void keep_speedup(struct measure *m)
{
    struct osw_record *r = m->record;

    if (m->base && m->base->n_medians) {
        struct side *b = m->base;

        memcpy(b->scratch, b->medians, b->n_medians * sizeof(double));
        osw_samples_sort(b->scratch, b->n_medians);
        r->baseline_median_ns =
            osw_samples_quantile(b->scratch, b->n_medians, 0.5);
        r->speedup = m->speedup.ratio;
        r->speedup_lo = m->speedup.lo;
        r->speedup_hi = m->speedup.hi;
        add_process(m, r->speedup, &r->speedup_lo, &r->speedup_hi);
    } else if (m->job->is_baseline) {
        r->baseline_median_ns = m->summary.median;
        r->speedup = 1;
    }
}

static struct side *open_side(const struct osw_measure_job *job,
                              struct osw_sandbox *sandbox, bool keep)
{
    struct side *s = osw_arena_alloc(job->memory, sizeof(*s));

    if (!s)
        return NULL;
    s->sandbox = sandbox;
    s->n_threads = 1;
    s->medians = osw_arena_array(job->memory, 2 * MAX_ROUNDS, sizeof(double));
    s->scratch = osw_arena_array(job->memory, 2 * MAX_ROUNDS, sizeof(double));
    if (keep)
        s->samples =
            osw_arena_array(job->memory, OSW_RECORD_MAX_SAMPLES, sizeof(float));
    return s->medians && s->scratch && (s->samples || !keep) ? s : NULL;
}

/* A baseline that would take much longer than all the time there is. */
static bool too_slow(const struct osw_measure_job *job)
{
    return job->baseline_ns > SLOW_BASELINE * job->profile->time_cap_ns;
}

/* A device's claims are checked beside its samples. */
static void begin_checks(struct measure *m)
{
    const struct osw_measure_job *job = m->job;
    struct side *s = m->own;

    s->watched = !job->device;
    if (m->base)
        m->base->watched = s->watched;
    s->checked = OSW_CHECKS(IMPLAUSIBLE) && s->watched;
    if (!s->checked)
        return;
    s->n_threads = osw_sandbox_threads(s->sandbox);
    s->sample_ns = job->cold ? COLD_NS : PROBE_NS;
    if (job->restores && !job->cold)
        s->sample_ns =
            RESTORE_NS + COPY_FACTOR * osw_claim_copy_ns(job->restore_bytes);
}

static int first_probes(struct measure *m)
{
    for (int i = 0; i < FIRST_PROBES; i++)
        if (probe(m->job, m->own) < 0)
            return -1;
    return 0;
}

void osw_measure(const struct osw_measure_job *job, struct osw_record *record)
{
    struct measure m = {
        .job = job, .record = record, .next_look = job->profile->first_look};

    m.own = open_side(job, job->candidate, true);
    if (job->baseline && !too_slow(job))
        m.base = open_side(job, job->baseline, false);
    if (!m.own)
        return;
    begin_checks(&m);
    if (calibrate(job, m.own) < 0 || first_probes(&m) < 0) {
        end_failed(&m);
        return;
    }
    if (m.base && calibrate(job, m.base) < 0)
        m.base = NULL;
    m.started_ns = osw_clock_ns();
    if (sample(&m) < 0) {
        end_failed(&m);
        return;
    }
    if (osw_claim_is_false(&m.own->tally)) {
        end_implausible(&m);
        return;
    }
    if (m.n_rounds == 0) {
        end_too_busy(&m);
        return;
    }
    keep_summary(&m);
    keep_speedup(&m);
    if (job->device)
        look_beside(&m);
}
