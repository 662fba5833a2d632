/* worker/judge/timing/beside.c - what a device is timed for beside its cold
 * samples */
#include "worker/judge/timing/beside.h"

#include <math.h>

#include "ops/record/state.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/timing/device_clock.h"
#include "worker/judge/timing/ends.h"
#include "worker/judge/timing/roofline.h"
#include "worker/judge/timing/samples.h"

enum {
    BESIDE = 16,          /* samples of each kind */
    BESIDE_NS = 10000000, /* and what they may take */
    HOT_NS = 50000,       /* a sample with warm caches is at least so long */
};

/* What all steps share. */
struct beside {
    const struct osw_measure_job *job;
    struct osw_blocks *own;
    struct osw_record *record;
};

/* As many samples, up to n, as take no longer than BESIDE_NS; 2 at least. */
static uint32_t affordable(const struct beside *b, uint32_t n)
{
    double fit = BESIDE_NS / (b->record->t_median_ns + 1);

    return fit >= n ? n : fit > 2 ? (uint32_t)fit : 2;
}

/* The median of some samples; NaN when they could not be taken. */
static double median_of(const struct beside *b, uint32_t n_inner, bool wall)
{
    const struct osw_time_request request = {
        .n_samples = affordable(b, BESIDE), .n_inner = n_inner, .wall = wall};

    if (osw_blocks_ask_for(b->job, b->own, &request) < 0)
        return NAN;
    return osw_samples_median_f32(b->own->reply.samples, b->own->reply.n,
                                  b->own->scratch);
}

/* Warm and wall time; false: calls failed.  In-place arguments are put back
 * between calls, which a warm time would count.
 */
static bool time_calls(const struct beside *b)
{
    struct osw_record *r = b->record;

    r->t_floor_ns = b->job->floor_ns;
    if (!b->job->restores) {
        r->t_hot_ns = median_of(b, 1, false);
        if (r->t_hot_ns < HOT_NS)
            r->t_hot_ns =
                median_of(b, (uint32_t)(HOT_NS / (r->t_hot_ns + 1)) + 1, false);
        if (isnan(r->t_hot_ns))
            return false;
    }
    r->t_wall_ns = median_of(b, 1, true);
    return !isnan(r->t_wall_ns);
}

/* The claim to compare with the judge's clock.  Calls that are made one by one,
 * and not by a graph, are held back until the host has enqueued them: a request
 * takes the host's time, of which the wall time is no less, and then the
 * device's.  Those of a gang are not held; on processors the wall time of one
 * has the ranks' waits for each other in it.
 */
static double claim_of(const struct beside *b)
{
    const struct osw_record *r = b->record;
    double device_ns = b->job->restores ? r->t_median_ns : r->t_hot_ns;

    if (b->own->timer == OSW_TIMER_GRAPH)
        return device_ns;
    if (!b->job->agree->gang)
        return device_ns + r->t_wall_ns;
    return b->own->timer == OSW_TIMER_STREAM ? fmax(device_ns, r->t_wall_ns)
                                             : device_ns;
}

/* Can the claims be true? */
static void check_claims(const struct beside *b)
{
    const struct osw_measure_job *job = b->job;
    struct osw_record *r = b->record;
    float longest = (float)claim_of(b);
    double claim, judged;
    enum osw_claim_verdict verdict;

    (void)osw_agree_longest(job->agree, &longest, 1, NULL);
    claim = longest;
    verdict = osw_device_clock_check(job, b->own, &claim, r->t_hot_ns,
                                     r->t_median_ns, &judged);

    if (isnan(judged))
        osw_ends_failed(job, b->own, r);
    else if (verdict == OSW_CLAIM_UNCLEAR)
        osw_ends_busy("machine too busy: by the judge's clock three times "
                      "the calls do not take three times as long on this "
                      "device",
                      r);
    else if (verdict == OSW_CLAIM_REFUTED)
        osw_ends_claim(job, "a call", claim, "the judge's clock says", judged,
                       r);
    else if (!osw_roofline_allows(r->t_median_ns, job->limit_ns))
        osw_ends_claim(job, "a cold call", r->t_median_ns,
                       "its bytes and operations take", job->limit_ns, r);
}

void osw_beside_measure(const struct osw_measure_job *job,
                        struct osw_blocks *own, struct osw_record *record)
{
    struct beside b = {.job = job, .own = own, .record = record};

    if (!time_calls(&b))
        osw_ends_failed(job, own, record);
    else if (OSW_CHECKS(IMPLAUSIBLE))
        check_claims(&b);
}
