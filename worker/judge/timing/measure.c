/* worker/judge/timing/measure.c - how long an implementation takes, against
 * another */
#include "worker/judge/timing/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "ops/record/state.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/timing/blocks.h"
#include "worker/judge/timing/device_clock.h"
#include "worker/judge/timing/figures.h"
#include "worker/judge/timing/roofline.h"
#include "worker/judge/timing/samples.h"
#include "worker/judge/timing/whole.h"

enum {
    LEAST_TRIED = 8, /* blocks, before the time limit ends it without a round */
    PATIENCE = 4,    /* times the time limit, while there is no such round */
    BESIDE = 16,     /* samples of each kind beside the cold ones */
    BESIDE_NS = 10000000, /* and what they may take */
    HOT_NS = 50000,       /* a sample with warm caches is at least so long */
    VERIFIED_MOST = 6,    /* calls of a cell, but for those that look wrong */
    VERIFIED_CHEAP = 16,  /* where that takes next to no time */
    VERIFIED_PART = 10,   /* of the time, what verifying takes at most */
    UNEVEN = 4, /* times the quickest sample: calls do not do the same work */
    UNEVEN_NS = 1000, /* and so much beside */
};

struct measure {
    const struct osw_measure_job *job;
    struct osw_record *record;
    struct osw_blocks *own, *base; /* base NULL: nothing to compare with */
    int64_t started_ns;
    uint32_t n_verified;
    int64_t verify_ns;
    bool anew; /* calls have inputs that are new in every element */
    size_t n_rounds, next_look;
    struct osw_summary summary; /* of all samples; its interval over rounds */
    struct osw_speedup speedup;
};

/* --- timed calls are judged --- */

/* Verify the candidate's last call; false: it was wrong. */
static bool verify(struct measure *m)
{
    int64_t t0 = osw_clock_ns();
    bool lost_base = false;
    bool right = m->job->verify(m->job->arg, m->own->sandbox, &m->own->edits,
                                m->own->last_call, &lost_base);

    if (lost_base)
        m->base = NULL;
    m->own->bystander = !right && m->job->failed->status_id == OSW_STATE_NONE;
    m->verify_ns += osw_clock_ns() - t0;
    m->n_verified++;
    return right;
}

/* After which of its two blocks of a round, from 1, to verify; 0: after none.
 * The first round always: its process has a history of judged calls, those of
 * later rounds are new.  Then none before a round counts.  The time of
 * verifying is part of the cell's time.
 */
static int pick_verified(struct measure *m)
{
    int64_t ns = osw_clock_ns() - m->started_ns;
    uint64_t bits = osw_random_next(m->job->random);

    if (!m->job->verify || m->n_verified >= VERIFIED_MOST ||
        (m->n_verified > 0 && (m->n_rounds == 0 || (bits & 2))) ||
        osw_agree_any(m->job->agree, m->verify_ns * VERIFIED_PART > ns))
        return 0;
    return 1 + (int)(bits & 1);
}

/* May more calls be verified than VERIFIED_MOST? */
static bool may_verify_more(const struct measure *m)
{
    return m->job->verify && !m->job->agree->gang &&
           m->n_verified < VERIFIED_CHEAP;
}

static bool is_cheap(const struct measure *m)
{
    return m->verify_ns * VERIFIED_PART <= osw_clock_ns() - m->started_ns;
}

/* Poison that is left shows that a call did nothing.  What is verified at the
 * end of a round disturbs no block.
 */
static bool has_to_verify(const struct measure *m, int block, int picked,
                          bool ends_round)
{
    return m->job->verify &&
           (block == picked ||
            (ends_round && may_verify_more(m) && is_cheap(m)) ||
            (m->own->left && m->n_verified < 2 * VERIFIED_MOST));
}

static int64_t base_ns(const struct measure *m)
{
    return m->base ? m->base->call_ns : 0;
}

/* --- rounds --- */

static void forget_round(struct measure *m, uint32_t n_samples)
{
    m->own->n = n_samples;
    m->own->n_medians = 2 * m->n_rounds;
    if (m->base)
        m->base->n_medians = 2 * m->n_rounds;
}

/* Take a block while the other side's processes, with all threads, are stopped.
 */
static enum osw_blocks_kept take_block(const struct measure *m,
                                       struct osw_blocks *s)
{
    const struct osw_blocks *other = s == m->own ? m->base : m->own;
    const struct osw_sandbox *still =
        other && !m->job->device ? other->sandbox : NULL;
    enum osw_blocks_kept kept;

    osw_sandbox_stop(still);
    kept = m->anew ? osw_whole_take(m->job, s) : osw_blocks_take(m->job, s);
    osw_sandbox_continue(still);
    return kept;
}

/* A B B A or B A A B: either cancels drift that is linear in time.  Without a
 * baseline, two blocks.  A round does not count if the judge's clock does not
 * confirm one of its blocks, or if a call was verified before its end: that
 * disturbs the next blocks.
 */
static int take_round(struct measure *m)
{
    bool swapped = osw_random_next(m->job->random) & 1;
    int picked = pick_verified(m), n_own = 0;
    uint32_t n = m->own->n;

    if (osw_blocks_probe(m->job, m->own) < 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        bool outer = i == 0 || i == 3;
        struct osw_blocks *s = outer != swapped ? m->base : m->own;
        enum osw_blocks_kept kept = s ? take_block(m, s) : OSW_BLOCKS_KEPT;

        if (kept == OSW_BLOCKS_FAILED && s == m->own)
            return -1;
        if (kept == OSW_BLOCKS_FAILED) {
            m->base = NULL; /* the candidate goes on alone */
            continue;
        }
        if (s == m->own && has_to_verify(m, ++n_own, picked, i == 3)) {
            if (!verify(m))
                return -1;
            if (i < 3 && (m->base || n_own < 2) && !m->job->device)
                kept = OSW_BLOCKS_UNCONFIRMED;
        }
        if (kept == OSW_BLOCKS_UNCONFIRMED) {
            forget_round(m, n);
            return 0;
        }
    }
    m->n_rounds++;
    return 0;
}

enum renewed {
    RENEWED,
    LOST_BASE, /* the baseline's sandbox ended or could not be made */
    LOST_OWN,  /* the candidate died or failed: it ends with that state */
};

/* Start fresh sandboxes, and make one call in each to settle it.  In random
 * order: the kernel reuses the pages freed last first, so the order of starting
 * decides which sandbox gets which pages.
 */
static enum renewed renew(struct measure *m)
{
    struct osw_blocks *sides[2] = {m->own, m->base};
    size_t n = m->base ? 2 : 1;
    struct osw_sandbox **sandboxes[2];

    if (n == 2 && (osw_random_next(m->job->random) & 1)) {
        sides[0] = m->base;
        sides[1] = m->own;
    }
    for (size_t i = 0; i < n; i++)
        sandboxes[i] = &sides[i]->sandbox;
    if (!m->job->renew(m->job->arg, sandboxes, n))
        return m->job->failed->status_id != OSW_STATE_NONE ? LOST_OWN
               : m->own->sandbox && osw_sandbox_alive(m->own->sandbox)
                   ? LOST_BASE
                   : LOST_OWN;
    /* A device has run each of them once by now, and captures the next calls
     * as a whole.
     */
    for (size_t i = 0; i < n && !m->job->device; i++)
        if (osw_blocks_ask(m->job, sides[i], 1, 1) < 0)
            return sides[i] == m->own ? LOST_OWN : LOST_BASE;
    return RENEWED;
}

/* Samples of one round share a sandbox, so they are not independent: the
 * interval of the median is over rounds as soon as there are enough.
 */
static void summarize(struct measure *m)
{
    struct osw_blocks *own = m->own;
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

/* Testing after every round would bias the result: it would stop at the first
 * interval that happens to be narrow, and such intervals miss the true value
 * more often than stated.  So test seldom.
 */
static bool is_time_to_look(struct measure *m)
{
    if (m->n_rounds == 0 || m->n_rounds < m->next_look)
        return false;
    m->next_look += m->next_look / 2;
    return true;
}

/* A round has to count, but where a false clock had some blocks to show. */
static bool is_time_over(const struct measure *m)
{
    if (m->n_rounds == 0 &&
        (m->anew || osw_claim_blocks(&m->own->tally) < LEAST_TRIED))
        return false;
    return osw_clock_ns() - m->started_ns >=
           (m->n_rounds ? 1 : PATIENCE) * m->job->profile->time_cap_ns;
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
    if (m->own->n >= p->max_samples || m->n_rounds >= OSW_BLOCKS_MAX_ROUNDS)
        return OSW_STOP_MAX_SAMPLES;
    if (osw_agree_any(m->job->agree, is_time_over(m)))
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
        if (stop != OSW_STOP_NONE && m->job->verify && m->n_verified == 0 &&
            !verify(m))
            return -1;
        if (stop == OSW_STOP_NONE && m->job->renew) {
            enum renewed renewed = renew(m);

            if (renewed == LOST_OWN)
                return -1;
            if (renewed == LOST_BASE && m->n_rounds)
                stop = OSW_STOP_TIME_LIMIT; /* keep the rounds so far */
            else if (renewed == LOST_BASE)
                m->base = NULL; /* the candidate goes on alone */
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
    if (m->own->bystander) {
        r->status_id = OSW_STATE_NONE; /* the other member's counts */
        return;
    }
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

static void end_keeping(struct measure *m)
{
    m->record->status_id = OSW_STATE_IMPLAUSIBLE;
    m->record->phase_id = OSW_PHASE_TIME;
    m->record->reason = osw_arena_printf(
        m->job->memory,
        "a call takes %.3f us, but %.3f us or more where all elements of its "
        "inputs changed since the call before, not one: it uses earlier "
        "results",
        m->summary.median * 1e-3, m->own->whole_ns * 1e-3);
}

static void end_too_busy(struct measure *m, const char *reason)
{
    m->record->status_id = OSW_STATE_SKIPPED;
    m->record->phase_id = OSW_PHASE_TIME;
    m->record->reason = reason;
}

static const char *few_confirmed(const struct measure *m)
{
    const struct osw_claim_tally *t = &m->own->tally;

    return osw_arena_printf(
        m->job->memory,
        "machine too busy: the judge's clock confirms the times of %u blocks "
        "of "
        "%u",
        t->confirmed, osw_claim_blocks(t));
}

/* Verify calls at places that cannot be foreseen.  Where some are far quicker
 * than others, do these do their work?  False: the cell ended.
 */
static bool verify_more(struct measure *m)
{
    bool uneven = m->summary.max > UNEVEN * (m->summary.min + UNEVEN_NS);
    int64_t until = osw_clock_ns() + m->job->profile->time_cap_ns;

    while (may_verify_more(m) &&
           (is_cheap(m) || (uneven && osw_clock_ns() < until))) {
        uint64_t n =
            osw_random_next(m->job->random) % (m->own->n_block / 4 + 1);

        if (osw_blocks_ask(m->job, m->own, 1 + (uint32_t)n, m->own->n_inner) <
                0 ||
            !verify(m)) {
            end_failed(m);
            return false;
        }
    }
    return true;
}

/* Measure once more, by calls on inputs that are new in every element: what
 * finds out what changed, and computes only that, gains nothing by it.
 */
static bool measure_anew(struct measure *m)
{
    double few_ns = m->summary.median;

    m->anew = true;
    m->started_ns = osw_clock_ns();
    m->n_rounds = m->n_verified = 0;
    m->verify_ns = 0;
    m->next_look = m->job->profile->first_look;
    osw_whole_begin(m->own);
    if (m->base)
        osw_whole_begin(m->base);
    if (sample(m) < 0) {
        end_failed(m);
        return false;
    }
    m->record->reason = osw_arena_printf(
        m->job->memory,
        "timed on inputs that are new in every element; where few elements "
        "changed since the call before, it took %.3f us",
        few_ns * 1e-3);
    return true;
}

/* Calls on inputs that are new in every element: is the last of them right, and
 * do they take as long as the others?  False: the cell ended.
 */
static bool check_whole(struct measure *m)
{
    enum osw_whole whole = OSW_WHOLE_FAILED;

    if (osw_whole_ask(m->job, m->own, base_ns(m)) == 0 &&
        (m->own->whole_ns == 0 || !m->job->verify || verify(m)))
        whole = osw_whole_compare(m->job, m->own, m->summary.median);
    if (whole == OSW_WHOLE_FAILED)
        end_failed(m);
    else if (whole == OSW_WHOLE_SLOWER)
        return measure_anew(m);
    else if (whole == OSW_WHOLE_DIFFERS)
        end_keeping(m);
    else if (whole == OSW_WHOLE_UNCLEAR)
        end_too_busy(m, "machine too busy: calls that are made one by one take "
                        "many times as long as in a block");
    return whole == OSW_WHOLE_SAME;
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

    if (osw_blocks_ask_for(m->job, m->own, &request) < 0)
        return NAN;
    return osw_samples_median_f32(m->own->reply.samples, m->own->reply.n,
                                  m->own->scratch);
}

/* The claim to compare with the judge's clock.  Calls that are made one by one,
 * and not by a graph, are held back until the host has enqueued them: a request
 * takes the host's time, of which the wall time is no less, and then the
 * device's.  Those of a gang are not held; on processors the wall time of one
 * has the ranks' waits for each other in it.
 */
static double claim_of(const struct measure *m)
{
    const struct osw_record *r = m->record;
    double device_ns = m->job->restores ? r->t_median_ns : r->t_hot_ns;

    if (r->timer_id == OSW_TIMER_GRAPH)
        return device_ns;
    if (!m->job->agree->gang)
        return device_ns + r->t_wall_ns;
    return r->timer_id == OSW_TIMER_STREAM ? fmax(device_ns, r->t_wall_ns)
                                           : device_ns;
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

/* Warm and wall time; false: calls failed.  In-place arguments are put back
 * between calls, which a warm time would count.
 */
static bool time_beside(struct measure *m)
{
    struct osw_record *r = m->record;

    r->t_floor_ns = m->job->floor_ns;
    if (!m->job->restores) {
        r->t_hot_ns = median_beside(m, 1, false);
        if (r->t_hot_ns < HOT_NS)
            r->t_hot_ns = median_beside(
                m, (uint32_t)(HOT_NS / (r->t_hot_ns + 1)) + 1, false);
        if (isnan(r->t_hot_ns))
            return false;
    }
    r->t_wall_ns = median_beside(m, 1, true);
    return !isnan(r->t_wall_ns);
}

/* Can the claims be true? */
static void check_claims(struct measure *m)
{
    struct osw_record *r = m->record;
    float longest = (float)claim_of(m);
    double claim, judged;
    enum osw_claim_verdict verdict;

    (void)osw_agree_longest(m->job->agree, &longest, 1, NULL);
    claim = longest;
    verdict = osw_device_clock_check(m->job, m->own, claim, r->t_hot_ns,
                                     r->t_median_ns, &judged);

    if (isnan(judged))
        end_failed(m);
    else if (verdict == OSW_CLAIM_UNCLEAR)
        end_too_busy(m, "machine too busy: by the judge's clock three times "
                        "the calls do not take three times as long on this "
                        "device");
    else if (verdict == OSW_CLAIM_REFUTED)
        end_claim(m, "a call", claim, judged, "the judge's clock says");
    else if (!osw_roofline_allows(r->t_median_ns, m->job->limit_ns))
        end_claim(m, "a cold call", r->t_median_ns, m->job->limit_ns,
                  "its bytes and operations take");
}

void osw_measure(const struct osw_measure_job *job, struct osw_record *record)
{
    struct measure m = {
        .job = job, .record = record, .next_look = job->profile->first_look};

    m.own = osw_blocks_open(job, job->candidate, true);
    if (job->baseline)
        m.base = osw_blocks_open(job, job->baseline, false);
    if (!m.own)
        return;
    m.own->watched = !job->device;
    if (m.base)
        m.base->watched = m.own->watched;
    if (osw_blocks_calibrate(job, m.own) < 0 ||
        osw_blocks_check(job, m.own) < 0) {
        end_failed(&m);
        return;
    }
    if (m.base && osw_blocks_calibrate(job, m.base) < 0)
        m.base = NULL;
    m.started_ns = osw_clock_ns();
    if (!osw_claim_is_false(&m.own->tally) && sample(&m) < 0) {
        end_failed(&m);
        return;
    }
    if (osw_claim_is_false(&m.own->tally)) {
        end_implausible(&m);
        return;
    }
    if (m.n_rounds == 0) {
        end_too_busy(&m, few_confirmed(&m));
        return;
    }
    if (!verify_more(&m) || !check_whole(&m))
        return;
    osw_figures_keep(job, m.own, m.base, &m.summary, &m.speedup, record);
    if (!job->device)
        return;
    if (!time_beside(&m))
        end_failed(&m);
    else if (OSW_CHECKS(IMPLAUSIBLE))
        check_claims(&m);
}
