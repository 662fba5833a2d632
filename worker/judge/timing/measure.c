/* worker/judge/timing/measure.c - how long an implementation takes, against
 * another */
#include "worker/judge/timing/measure.h"

#include <math.h>

#include "common/clock.h"
#include "ops/record/state.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/timing/beside.h"
#include "worker/judge/timing/blocks.h"
#include "worker/judge/timing/ends.h"
#include "worker/judge/timing/figures.h"
#include "worker/judge/timing/samples.h"
#include "worker/judge/timing/whole.h"

enum {
    LEAST_TRIED = 8, /* blocks, before the time limit ends it without a round */
    PATIENCE = 4,    /* times the time limit, while there is no such round */
    VERIFIED_MOST = 6,   /* calls of a cell, but for those that look wrong */
    VERIFIED_CHEAP = 16, /* where that takes next to no time */
    VERIFIED_PART = 10,  /* of the time, what verifying takes at most */
    UNEVEN = 4, /* times the quickest sample: calls do not do the same work */
    UNEVEN_NS = 1000, /* and so much beside */
    LESS = 2,         /* times: more than caches and noise make */
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
    struct osw_summary summary; /* of all samples; its median over rounds */
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
    /* As many calls before its blocks, and times by the same rule. */
    if (m->base && osw_blocks_probe(m->job, m->base) < 0)
        m->base = NULL;
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

static void summarize(struct measure *m)
{
    struct osw_blocks *own = m->own;

    for (uint32_t i = 0; i < own->n; i++)
        own->scratch[i] = (double)own->samples[i];
    osw_samples_summarize(own->scratch, own->n, &m->summary);
    osw_samples_over_rounds(own->medians, m->n_rounds, own->scratch,
                            &m->summary);
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

/* --- are calls what they seem? --- */

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
            osw_ends_failed(m->job, m->own, m->record);
            return false;
        }
    }
    return true;
}

/* On a device the judge's clock is held against calls before which few elements
 * changed.  Those on new inputs do no less work.
 */
static bool is_less(const struct measure *m, double few_ns)
{
    return m->job->device && LESS * m->summary.median < few_ns;
}

static void say_anew(struct measure *m, double few_ns)
{
    const char *text = osw_arena_printf(
        m->job->memory,
        "timed on inputs that are new in every element; where few elements "
        "changed since the call before, it took %.3f us",
        few_ns * 1e-3);

    osw_verdict_say(m->job->memory, m->record, "", text);
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
    if (m->base && !osw_sandbox_alive(m->base->sandbox))
        m->base = NULL; /* it could not be started again */
    if (m->base)
        osw_whole_begin(m->base);
    if (sample(m) < 0) {
        osw_ends_failed(m->job, m->own, m->record);
        return false;
    }
    if (osw_claim_is_false(&m->own->tally)) {
        osw_ends_implausible(m->job, m->own, m->record);
        return false;
    }
    if (is_less(m, few_ns)) {
        osw_ends_busy(
            "machine too busy: calls on inputs that are new in every "
            "element took longer than others, and then less than half",
            m->record);
        return false;
    }
    say_anew(m, few_ns);
    return true;
}

/* Is the last of such calls right, if it can be verified? */
static bool is_whole_right(struct measure *m)
{
    return m->own->whole_ns == 0 || !m->job->verify || verify(m);
}

/* Calls on inputs that are new in every element: is the last of them right, and
 * do they take as long as the others?  False: the cell ended.
 */
static bool check_whole(struct measure *m)
{
    enum osw_whole whole = OSW_WHOLE_FAILED;

    uint32_t n_asked;

    if (osw_whole_ask(m->job, m->own, base_ns(m)) == 0 && is_whole_right(m)) {
        n_asked = m->own->n_whole;
        whole = osw_whole_compare(m->job, m->own, m->summary.median);
        /* What was quick in the end has to be right, too. */
        if (whole == OSW_WHOLE_SAME && m->own->n_whole != n_asked &&
            !is_whole_right(m))
            whole = OSW_WHOLE_FAILED;
    }
    if (whole == OSW_WHOLE_FAILED)
        osw_ends_failed(m->job, m->own, m->record);
    else if (whole == OSW_WHOLE_SLOWER)
        return measure_anew(m);
    else if (whole == OSW_WHOLE_DIFFERS)
        osw_ends_keeping(m->job, m->own, m->summary.median, m->record);
    else if (whole == OSW_WHOLE_UNCLEAR)
        osw_ends_busy("machine too busy: calls that are made one by one take "
                      "many times as long as in a block",
                      m->record);
    return whole == OSW_WHOLE_SAME;
}

/* --- the whole --- */

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
        osw_ends_failed(job, m.own, record);
        return;
    }
    if (m.base) {
        m.base->trusted = true;
        if (osw_blocks_calibrate(job, m.base) < 0 ||
            osw_blocks_check(job, m.base) < 0)
            m.base = NULL;
    }
    m.started_ns = osw_clock_ns();
    if (!osw_claim_is_false(&m.own->tally) && sample(&m) < 0) {
        osw_ends_failed(job, m.own, record);
        return;
    }
    if (osw_claim_is_false(&m.own->tally)) {
        osw_ends_implausible(job, m.own, record);
        return;
    }
    if (m.n_rounds == 0) {
        osw_ends_unconfirmed(job, m.own, record);
        return;
    }
    if (!verify_more(&m) || !check_whole(&m))
        return;
    osw_figures_keep(job, m.own, m.base, &m.summary, &m.speedup,
                     m.anew ? OSW_TIMER_NEW_INPUTS : m.own->timer, record);
    if (job->device)
        osw_beside_measure(job, m.own, record);
}
