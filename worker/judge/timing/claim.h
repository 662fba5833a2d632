/* worker/judge/timing/claim.h - can the times that a sandbox claims be true?
 *
 * Samples are taken beside op code, which can change any clock in its process.
 * The judge holds each block of them against its own clock, from its request to
 * the answer, less what requests without a call take and less the time in which
 * the kernel held the sandbox or the judge up.
 *
 * An honest block claims nearly all of that time.  A slow clock claims a part
 * of it, in every block.  What a busy machine takes besides is known as a bound
 * only, so a block is confirmed, refuted, or neither; only confirmed blocks are
 * worth a figure.
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
    int64_t cpu_ns;  /* of the sandbox, all its threads */
    bool held_known; /* this kernel has that account */
};

struct osw_claim_account
osw_claim_account_now(const struct osw_sandbox *sandbox);

struct osw_claim_account
osw_claim_account_since(const struct osw_claim_account *then,
                        const struct osw_sandbox *sandbox);

enum osw_claim_verdict {
    OSW_CLAIM_CONFIRMED,
    OSW_CLAIM_UNCLEAR, /* the machine may have taken what is missing */
    OSW_CLAIM_DOUBTED, /* nothing that is known took it */
    OSW_CLAIM_REFUTED, /* the sandbox itself used it, as processor time */
};

/* What of a block's time is no call's: the request, and what comes before each
 * sample.
 */
struct osw_claim_beside {
    double wall_ns; /* with the time in which both were held up */
    double run_ns;  /* without */
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

/* So many blocks are refuted that the clock runs slow.  Never so for blocks
 * that are refuted now and then, by what no account shows.
 */
bool osw_claim_is_false(const struct osw_claim_tally *t);

/* What copying so many bytes takes in this process, ns: the least of a few. */
double osw_claim_copy_ns(uint64_t bytes);

#endif /* OSW_WORKER_JUDGE_CLAIM_H */
