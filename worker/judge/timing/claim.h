/* worker/judge/timing/claim.h - can the times that a sandbox claims be true?
 *
 * Samples are taken in the process of the op code, which can change any clock
 * there.  So the judge compares each block of samples with its own clock: the
 * time from its request to the answer, less the time of requests without a
 * call, and less the time for which the sandbox or the judge waited for a core.
 *
 * An honest block claims nearly all of that time.  A slow clock claims a part
 * of it, in every block.  The time that a busy machine takes is known only as a
 * bound, so a block is confirmed, refuted, or neither.  Only confirmed blocks
 * give figures.
 */
#ifndef OSW_WORKER_JUDGE_CLAIM_H
#define OSW_WORKER_JUDGE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/judge/process/sandbox.h"

/* A block claims at least this share of its time: a clock that is 1.3 times too
 * slow claims 0.77 of it, an honest one loses some percent between samples.
 */
#define OSW_CLAIM_LEAST 0.88

/* The kernel's and the judge's accounts at one moment; or between two. */
struct osw_claim_account {
    int64_t wall_ns;
    int64_t held_ns; /* sandbox and judge were ready to run, and did not */
    int64_t judge_held_ns; /* the judge alone: never in a sample */
    int64_t cpu_ns;        /* of the sandbox, all its threads */
    bool held_known;       /* this kernel has that account */
};

struct osw_claim_account
osw_claim_account_now(const struct osw_sandbox *sandbox);

struct osw_claim_account
osw_claim_account_since(const struct osw_claim_account *then,
                        const struct osw_sandbox *sandbox);

enum osw_claim_verdict {
    OSW_CLAIM_CONFIRMED,
    OSW_CLAIM_UNCLEAR, /* a busy machine explains the missing time */
    OSW_CLAIM_DOUBTED, /* no account explains the missing time */
    OSW_CLAIM_REFUTED, /* the sandbox used it, as processor time; or more is
                          missing than it can have waited for a core */
};

/* The part of a block's time outside of calls: the request, and the work before
 * each sample.
 */
struct osw_claim_beside {
    double wall_ns; /* with the time in which both were held up */
    double run_ns;  /* without */
    double cpu_ns;  /* processor time of the sandbox */
};

enum osw_claim_verdict osw_claim_judge(double claimed_ns,
                                       const struct osw_claim_beside *beside,
                                       const struct osw_claim_account *a,
                                       int n_threads);

/* The judge's own time of a sample, never shorter than the sample took. */
struct osw_claim_stamp {
    double wall_ns;
    bool disturbed; /* sandbox or judge waited for a core in it: it may be much
                       longer */
};

/* Samples that were stamped, ns per sample.  `floor_ns` is what stamps add to
 * each.  n may be 0; scratch [n].
 */
enum osw_claim_verdict
osw_claim_judge_stamped(const float *claims_ns,
                        const struct osw_claim_stamp *stamps, size_t n,
                        double floor_ns, bool held_known, double *scratch);

/* What the calls of a block took at least, by either account; ns. */
double osw_claim_least_ns(const struct osw_claim_beside *beside,
                          const struct osw_claim_account *a, int n_threads);

/* Blocks of a cell by their verdicts. */
struct osw_claim_tally {
    uint32_t confirmed, unclear, doubted, refuted;
};

uint32_t osw_claim_blocks(const struct osw_claim_tally *t);

void osw_claim_count(struct osw_claim_tally *t, enum osw_claim_verdict verdict);

/* Are so many blocks refuted that the clock must be slow?  Single refuted
 * blocks have causes that no account shows and do not count.
 */
bool osw_claim_is_false(const struct osw_claim_tally *t);

/* What copying so many bytes takes in this process, ns: the least of a few. */
double osw_claim_copy_ns(uint64_t bytes);

#endif /* OSW_WORKER_JUDGE_CLAIM_H */
