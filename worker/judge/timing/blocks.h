/* worker/judge/timing/blocks.h - blocks of timed calls of one implementation
 *
 * How many calls a block has, how it is asked for, whether the judge's clock
 * confirms it, and what is kept of it.
 *
 * Upstream: worker/judge/timing/measure_job.h.
 */
#ifndef OSW_WORKER_JUDGE_BLOCKS_H
#define OSW_WORKER_JUDGE_BLOCKS_H

#include "worker/judge/timing/claim.h"
#include "worker/judge/timing/measure_job.h"

enum {
    OSW_BLOCKS_MAX_ROUNDS = 1024,     /* of two blocks each */
    OSW_BLOCKS_PROBES = 16,           /* requests without calls that are kept */
    OSW_BLOCKS_MAX_INNER = 1 << 16,   /* calls in a sample */
    OSW_BLOCKS_CHECKED_NS = 500000,   /* a block that the judge's clock can
                                         check takes so long at least */
    OSW_BLOCKS_LONGEST_NS = 10000000, /* that blocks are lengthened to */
};

/* One implementation while it is timed: look inside. */
struct osw_blocks {
    struct osw_sandbox *sandbox;
    int64_t call_ns;  /* estimate of one call */
    int64_t clear_ns; /* what a sample of the last request took in all */
    int64_t asked_ns; /* what that request took by the judge's clock */
    uint32_t n_inner;
    uint32_t n_block;
    uint32_t n_keep; /* samples of a block that go to the record */
    float *samples;  /* [OSW_RECORD_MAX_SAMPLES], or NULL: not kept */
    uint32_t n;
    double
        *medians; /* [2 * OSW_BLOCKS_MAX_ROUNDS] of its blocks, two a round */
    size_t n_medians;
    double
        *scratch; /* [2 * OSW_BLOCKS_MAX_ROUNDS], as many as samples at most */
    bool watched; /* the accounts of its requests are kept */
    bool checked; /* and its claims held against the judge's clock */
    bool trusted; /* the baseline: blocks that are not confirmed are taken
                     again, and the last one counts */
    int n_threads;
    struct osw_claim_account account; /* of the last request, or block */
    struct osw_claim_beside
        probes[OSW_BLOCKS_PROBES]; /* requests without calls */
    size_t n_probes;
    double sample_ns; /* what comes before a sample may take */
    bool copies;      /* which are most of its blocks: stamps confirm them */
    struct osw_claim_stamp *stamps; /* [OSW_PROTOCOL_MAX_SAMPLES] of the last
                                       request, if it was stamped */
    uint32_t n_stamps;
    double floor_ns;   /* what stamps take around no call */
    double stamped_ns; /* the quickest call in a stamped block; 0: none */
    double slower; /* beside calls, what a probe measured is so much slower */
    struct osw_claim_tally tally;
    bool is_short; /* the last block: it is no evidence against a clock */
    uint32_t n_judged, n_skewed; /* blocks; with few samples for its time */
    uint8_t timer;               /* enum osw_timer of the last block */
    struct osw_edits edits;      /* of the last request, and its last call */
    uint64_t last_call;
    bool left;         /* that call left some of its poison */
    bool whole;        /* the next request's calls have inputs that are new in
                          every element */
    bool live;         /* its calls are no graph's */
    double whole_ns;   /* the quickest of the last such call of each request; 0:
                          none was made */
    uint32_t n_whole;  /* such requests */
    double spread_ns;  /* of the last request's samples over a gang's members */
    double spread_sum; /* of kept blocks */
    uint32_t n_spreads;
    bool bystander; /* the last request failed in other members of a gang */
    struct osw_time_reply reply;
    char text[256];
};

/* NULL: no memory.  `keep` samples for the record. */
struct osw_blocks *osw_blocks_open(const struct osw_measure_job *job,
                                   struct osw_sandbox *sandbox, bool keep);

/* One request, its answer in s->reply and its accounts in s->account.  0, or
 * -1: the sandbox is dead, or s->reply.code says what the call returned.
 */
int osw_blocks_ask_for(const struct osw_measure_job *job, struct osw_blocks *s,
                       const struct osw_time_request *request) OSW_MUST_CHECK;
int osw_blocks_ask(const struct osw_measure_job *job, struct osw_blocks *s,
                   uint32_t n_samples, uint32_t n_inner) OSW_MUST_CHECK;

/* The same, each call also by the judge's clock: s->stamps. */
int osw_blocks_ask_stamped(const struct osw_measure_job *job,
                           struct osw_blocks *s, uint32_t n_samples,
                           uint32_t n_inner) OSW_MUST_CHECK;

/* Clearing a processor's caches before each sample takes longer than the call:
 * only stamps show the time of the call.
 */
static inline bool osw_blocks_are_stamped(const struct osw_measure_job *job)
{
    return job->cold && !job->device;
}

/* What the samples of the last block say that its calls took. */
double osw_blocks_claimed_ns(const struct osw_blocks *s);

/* How many samples, of how many calls, a block has (calibrate.c): first calls
 * are warm-up, the fastest of a few says it.  As osw_blocks_ask.
 */
int osw_blocks_calibrate(const struct osw_measure_job *job,
                         struct osw_blocks *s) OSW_MUST_CHECK;

/* Hold its claims against the judge's clock from now on, where the accounts of
 * its requests are kept.  As osw_blocks_ask.
 */
int osw_blocks_check(const struct osw_measure_job *job,
                     struct osw_blocks *s) OSW_MUST_CHECK;

/* A block without calls: what the request and what comes before samples take.
 * As osw_blocks_ask.
 */
int osw_blocks_probe(const struct osw_measure_job *job,
                     struct osw_blocks *s) OSW_MUST_CHECK;

/* Stamps without a call between them, for s->floor_ns.  As osw_blocks_ask. */
int osw_blocks_probe_stamps(const struct osw_measure_job *job,
                            struct osw_blocks *s) OSW_MUST_CHECK;

enum osw_blocks_kept {
    OSW_BLOCKS_KEPT,
    OSW_BLOCKS_UNCONFIRMED, /* not one of some tries */
    OSW_BLOCKS_FAILED,      /* it died, or its call failed */
};

/* Time one block: appends its median to s->medians, its samples to s->samples.
 */
enum osw_blocks_kept osw_blocks_take(const struct osw_measure_job *job,
                                     struct osw_blocks *s);

#endif /* OSW_WORKER_JUDGE_BLOCKS_H */
