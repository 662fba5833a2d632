/* worker/judge/timing/calibrate.c - how long blocks of timed calls are */
#include <math.h>

#include "worker/judge/timing/blocks.h"

enum {
    SAMPLE_NS = 20000,   /* a sample is at least about so long */
    LEAST_CALL_NS = 20,  /* that is believed when blocks are cut */
    MIN_BLOCKS = 80,     /* that all samples are spread over, at least */
    REQUEST_NS = 500000, /* more than a request takes beside its calls */
    LENGTHENINGS = 3,
    FAR_LONGER = 4, /* than claimed: no busy machine */
    DEVICE_BLOCK = OSW_TIMING_GRAPH_SAMPLES,
};

/* The share of a block's time that its request may take. */
#define SMALL_PART 0.05
#define ALMOST     0.8

/* A call's claimed time, but at least half of its time by the judge's clock in
 * the last request: a slow clock would make blocks endless.
 */
static int64_t least_call_ns(const struct osw_measure_job *job,
                             const struct osw_blocks *s)
{
    int64_t ns = s->account.wall_ns - s->account.held_ns - REQUEST_NS;

    return s->watched && !job->cold && ns > 0 ? ns / s->reply.n / 2 : 0;
}

/* How many samples, of how many calls, a block has.  A device with memory of
 * its own edits before each sample: so that is one call.
 */
static void cut_blocks(const struct osw_measure_job *job, struct osw_blocks *s)
{
    const struct osw_profile *p = job->profile;
    int64_t sample_ns;

    s->n_inner = 1;
    if (!job->own_memory && !job->restores && !job->cold &&
        s->call_ns < SAMPLE_NS)
        s->n_inner = (uint32_t)(SAMPLE_NS / s->call_ns + 1);
    if (s->n_inner > OSW_BLOCKS_MAX_INNER)
        s->n_inner = OSW_BLOCKS_MAX_INNER;
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
    if (!job->device && !osw_blocks_are_stamped(job) &&
        s->n_block * sample_ns < OSW_BLOCKS_CHECKED_NS)
        s->n_block = (uint32_t)(OSW_BLOCKS_CHECKED_NS / sample_ns + 1);
    if (s->n_block > OSW_PROTOCOL_MAX_SAMPLES)
        s->n_block = OSW_PROTOCOL_MAX_SAMPLES;
}

/* A sample of many calls shows what a few do not: calls that take far longer
 * than their clock claims.
 */
static int cut_again(const struct osw_measure_job *job, struct osw_blocks *s)
{
    int64_t least_ns;

    if (osw_blocks_are_stamped(job) || !s->watched || s->n_inner == 1)
        return 0;
    if (osw_blocks_ask(job, s, 1, s->n_inner) < 0)
        return -1;
    least_ns = least_call_ns(job, s) / s->n_inner;
    if (s->call_ns >= least_ns / FAR_LONGER)
        return 0;
    s->call_ns = least_ns;
    cut_blocks(job, s);
    return 0;
}

/* Lengthen blocks until the request's own time is small against the calls:
 * calls in a row may be much faster than the first ones.
 */
static int lengthen_block(const struct osw_measure_job *job,
                          struct osw_blocks *s)
{
    double least_ns, ns, n;

    if (osw_blocks_are_stamped(job) || !s->watched)
        return 0;
    if (osw_blocks_ask(job, s, 1, 0) < 0)
        return -1;
    ns = (double)(s->account.wall_ns - s->account.held_ns);
    least_ns = fmin(fmax(ns / SMALL_PART, OSW_BLOCKS_CHECKED_NS),
                    OSW_BLOCKS_LONGEST_NS);
    for (int i = 0; i < LENGTHENINGS; i++) {
        if (osw_blocks_ask(job, s, s->n_block, s->n_inner) < 0)
            return -1;
        ns = fmax((double)(s->account.wall_ns - s->account.held_ns),
                  osw_blocks_claimed_ns(s));
        if (ns >= ALMOST * least_ns)
            break;
        n = ceil(s->n_block * least_ns / fmax(ns, 1));
        s->n_block = (uint32_t)fmin(n, OSW_PROTOCOL_MAX_SAMPLES);
    }
    return 0;
}

/* First calls are warm-up; the fastest of a few gives the size of blocks. */
int osw_blocks_calibrate(const struct osw_measure_job *job,
                         struct osw_blocks *s)
{
    const struct osw_profile *p = job->profile;
    uint32_t n = p->n_warmup + 1;
    int64_t least_ns;
    float fastest;

    if (osw_blocks_ask(job, s, 1, 1) < 0)
        return -1;
    s->call_ns = (int64_t)s->reply.samples[0] + 1;
    least_ns = least_call_ns(job, s);
    if (s->call_ns < least_ns)
        s->call_ns = least_ns;
    if (s->call_ns * n < p->time_cap_ns / 2 && osw_blocks_ask(job, s, n, 1) < 0)
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
    if (s->call_ns < LEAST_CALL_NS)
        s->call_ns = LEAST_CALL_NS;
    cut_blocks(job, s);
    return cut_again(job, s) < 0 ? -1 : lengthen_block(job, s);
}
