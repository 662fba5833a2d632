/* worker/judge/timing/device_clock.c - what a call takes on a device by the
 * judge's own clock */
#include "worker/judge/timing/device_clock.h"

#include <math.h>

#include "worker/judge/eval/random.h"
#include "worker/protocol.h"

enum {
    BLOCK = 8,          /* samples of a request */
    PAIR_NS = 300000,   /* of calls in the shorter request of the first pair */
    LONG_NS = 10000000, /* a request that takes so long needs no repetition */
    REPEATED = 2,       /* the shortest of so many requests counts */
    PAIRS = 5,          /* before a claim is refuted */
    PAIRS_MOST = 20,    /* before the device is too busy to say */
    /* More of them for a claim than against it: */
    HELD_PAIRS = 5,     /* with waits for a core */
    RESTORED_PAIRS = 3, /* where calls are a part of what was measured */
};

/* A computation takes so many times as long beside other work. */
#define CROWDED    2.0
/* Of a pair's time, for which the sandbox or the judge waited for a core. */
#define HELD       0.1
/* Of what such a pair says of a call, a claim against which it counts: the
 * kernel may account for a wait in the next request.
 */
#define HELD_LEAST 0.25
/* Where more of a pair's time is waits, what is left of it says nothing. */
#define HELD_MOST  0.75

bool osw_device_clock_is_steady(double once_ns, double thrice_ns)
{
    double ratio = thrice_ns / once_ns;

    return ratio >= 2 && ratio <= 3.2;
}

bool osw_device_clock_allows(double claim_ns, double call_ns)
{
    return claim_ns >= OSW_DEVICE_CLOCK_LEAST * call_ns;
}

static bool is_against(double claim_ns,
                       const struct osw_device_clock_pair *pair)
{
    return pair->held ? claim_ns < HELD_LEAST * pair->call_ns
                      : !osw_device_clock_allows(claim_ns, pair->call_ns);
}

enum osw_claim_verdict
osw_device_clock_add(struct osw_device_clock *c, double claim_ns,
                     const struct osw_device_clock_pair *pair)
{
    double least_ns = fmin(claim_ns, pair->own_ns);
    bool allows = osw_device_clock_allows(least_ns, pair->call_ns);
    int needed = pair->held ? HELD_PAIRS : pair->restored ? RESTORED_PAIRS : 0;

    c->n_pairs++;
    if (!pair->steady)
        return OSW_CLAIM_UNCLEAR;
    if (needed > 0)
        c->n_for += allows ? 1 : -1;
    if (allows && (needed == 0 || c->n_for >= needed))
        return OSW_CLAIM_CONFIRMED;
    if (!pair->crowded && is_against(least_ns, pair)) {
        if (pair->call_ns < c->least_ns) {
            c->least_ns = pair->call_ns;
            c->claim_ns = least_ns;
        }
        c->n_against++;
    }
    return c->n_against >= PAIRS ? OSW_CLAIM_REFUTED : OSW_CLAIM_UNCLEAR;
}

/* Of all members of a gang. */
static double longest(const struct osw_measure_job *job, int64_t ns)
{
    float most = (float)ns;

    return osw_agree_longest(job->agree, &most, 1, NULL) ? (double)most : NAN;
}

/* Are waits for a core no part of what calls take?  A device goes on meanwhile,
 * and the members of a gang wait for each other.
 */
static bool leaves_out_waits(const struct osw_measure_job *job)
{
    return job->on_processor && !job->agree->gang;
}

/* Ranks of a gang wait for each other, in samples, for as long as the kernel
 * takes to wake them.
 */
static bool waits_for_ranks(const struct osw_measure_job *job)
{
    return job->on_processor && job->agree->gang;
}

/* What requests took, ns, by the judge's clock (NaN: calls failed) and by what
 * their own samples say.
 */
struct taken {
    double judged, claimed;
};

static const struct taken failed = {NAN, NAN};

static double claimed(const struct osw_blocks *s, uint32_t n_inner)
{
    double ns = 0;

    for (uint32_t i = 0; i < s->reply.n; i++)
        ns += (double)s->reply.samples[i] * n_inner;
    return ns;
}

/* What a request took by the judge's clock, ns; NaN: calls failed. */
static double ask(const struct osw_measure_job *job, struct osw_blocks *s,
                  const struct osw_time_request *request)
{
    bool without = leaves_out_waits(job);
    int64_t held_ns = without ? osw_claim_account_now(s->sandbox).held_ns : 0;

    if (osw_blocks_ask_for(job, s, request) < 0)
        return NAN;
    if (!without)
        return longest(job, s->asked_ns);
    held_ns = osw_claim_account_now(s->sandbox).held_ns - held_ns;
    return (double)(s->asked_ns - held_ns);
}

struct shape {
    uint32_t n_samples, n_inner; /* of a request; calls of a sample */
};

/* The shortest of a few requests, without the first one, which may have to
 * capture the calls: then it takes as long as their code on the host.
 */
static struct taken request(const struct osw_measure_job *job,
                            struct osw_blocks *s, struct shape shape)
{
    const struct osw_time_request request = {.n_samples = shape.n_samples,
                                             .n_inner = shape.n_inner,
                                             .cold = job->restores};
    struct taken least = {INFINITY, 0};
    double ns = 0;

    for (int i = 0; i <= REPEATED && (i < 2 || ns < LONG_NS); i++) {
        ns = ask(job, s, &request);
        if (isnan(ns))
            return failed;
        if (i > 0 && ns < least.judged)
            least = (struct taken){ns, claimed(s, shape.n_inner)};
    }
    return least;
}

/* Two requests, in random order, the second of three times as many calls or
 * samples: by how much longer it takes.
 */
static struct taken difference(const struct osw_measure_job *job,
                               struct osw_blocks *s,
                               const struct shape shapes[2], bool *steady)
{
    int first = (int)(osw_random_next(job->random) & 1);
    struct taken t[2];

    t[first] = request(job, s, shapes[first]);
    t[!first] =
        isnan(t[first].judged) ? failed : request(job, s, shapes[!first]);
    *steady = osw_device_clock_is_steady(t[0].judged, t[1].judged);
    return (struct taken){t[1].judged - t[0].judged,
                          t[1].claimed - t[0].claimed};
}

static struct taken divided(struct taken t, double n)
{
    return (struct taken){t.judged / n, t.claimed / n};
}

/* A call by calls of so long. */
static struct taken by_calls(const struct osw_measure_job *job,
                             struct osw_blocks *s, double ns, double hot_ns,
                             bool *steady)
{
    double hot = hot_ns + 1;
    uint32_t n = ns < BLOCK * hot ? (uint32_t)(ns / hot) + 1 : BLOCK;
    uint32_t k = (uint32_t)(ns / (hot * n)) + 1;

    return divided(
        difference(job, s, (struct shape[]){{n, k}, {n, 3 * k}}, steady),
        2.0 * k * n);
}

/* The same where inputs are restored before each call: what samples with a call
 * take, less what samples without one do.
 */
static struct taken by_samples(const struct osw_measure_job *job,
                               struct osw_blocks *s, double ns,
                               double sample_ns, bool *steady)
{
    uint32_t n = osw_timing_whole(
        (uint32_t)fmin(ns / (sample_ns + 1) + 1, OSW_PROTOCOL_MAX_SAMPLES / 4));
    struct taken with, without;
    bool both[2];

    with = difference(job, s, (struct shape[]){{n, 1}, {3 * n, 1}}, &both[0]);
    without =
        difference(job, s, (struct shape[]){{n, 0}, {3 * n, 0}}, &both[1]);
    *steady = both[0] && both[1] && with.judged > without.judged;
    return divided((struct taken){with.judged - without.judged, with.claimed},
                   2.0 * n);
}

/* May a pair, of which the account says what it took, be longer than its calls?
 * Ranks of a gang wait for each other, and thus for all that runs on a
 * processor: a few long samples then make a pair that is no longer than these
 * say, and more than the median of all.
 */
static bool is_crowded(const struct osw_measure_job *job,
                       const struct osw_claim_account *taken, bool held,
                       struct taken call)
{
    if (waits_for_ranks(job) &&
        osw_device_clock_allows(call.claimed, call.judged))
        return true;
    if (held && (!leaves_out_waits(job) ||
                 (double)taken->held_ns > HELD_MOST * (double)taken->wall_ns))
        return true;
    return job->crowded && job->crowded(job->arg) > CROWDED;
}

enum osw_claim_verdict osw_device_clock_check(const struct osw_measure_job *job,
                                              struct osw_blocks *s,
                                              double *claim_ns, double hot_ns,
                                              double sample_ns,
                                              double *judged_ns)
{
    struct osw_device_clock c = {.least_ns = INFINITY};
    enum osw_claim_verdict verdict = OSW_CLAIM_UNCLEAR;
    double ns = PAIR_NS;

    while (verdict == OSW_CLAIM_UNCLEAR && c.n_pairs < PAIRS_MOST) {
        struct osw_claim_account taken,
            before = osw_claim_account_now(s->sandbox);
        struct osw_device_clock_pair p = {.restored = job->restores,
                                          .own_ns = INFINITY};
        struct taken call = job->restores
                                ? by_samples(job, s, ns, sample_ns, &p.steady)
                                : by_calls(job, s, ns, hot_ns, &p.steady);

        p.call_ns = call.judged;
        if (isnan(p.call_ns)) {
            c.least_ns = NAN;
            break;
        }
        taken = osw_claim_account_since(&before, s->sandbox);
        p.held = osw_agree_any(job->agree, (double)taken.held_ns >
                                               HELD * (double)taken.wall_ns);
        if (waits_for_ranks(job))
            p.own_ns = call.claimed;
        p.crowded =
            !osw_device_clock_allows(fmin(*claim_ns, p.own_ns), p.call_ns) &&
            is_crowded(job, &taken, p.held, call);
        verdict = osw_device_clock_add(&c, *claim_ns, &p);
        if (c.n_pairs < PAIRS)
            ns *= 2;
    }
    *judged_ns = c.least_ns;
    if (verdict == OSW_CLAIM_REFUTED)
        *claim_ns = c.claim_ns;
    return verdict;
}
