/* worker/judge/timing/measure.h - how long an implementation takes, against
 * another
 *
 * Rounds of alternating blocks (ABBA, its order drawn anew each time), so that
 * drift of the machine cancels.  Each round has fresh sandboxes: where code and
 * data happen to lie changes a kernel's time by percents for the life of its
 * process, which no number of samples within one shows.  A round is one
 * observation; intervals are over rounds, and rounds end once these are narrow
 * enough.
 *
 * On a processor the judge's clock confirms each block of the candidate, or the
 * block does not count: see claim.h.  Blocks are long enough for that.
 *
 * On a device with its own memory processes do not differ so: rounds share
 * their sandboxes.  There samples are cold, by the device's events, and beside
 * them stand what a call takes with warm caches and by the host's clock.  An
 * implementation's events were recorded in its own process: the judge times
 * requests of k and of 3 k calls by its own clock, in an order drawn by chance;
 * what the difference of both says must not be far above what is claimed.
 */
#ifndef OSW_WORKER_JUDGE_MEASURE_H
#define OSW_WORKER_JUDGE_MEASURE_H

#include "common/arena.h"
#include "ops/record/record.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"
#include "worker/launch_floor.h"
#include "worker/worker.h"

struct osw_measure_job {
    osw_arena_t *memory;
    const struct osw_trial *trial; /* the case's own inputs */
    const struct osw_profile *profile;
    struct osw_sandbox *candidate;
    struct osw_sandbox
        *baseline;          /* NULL: the candidate is it, or there is none */
    bool is_baseline;       /* the candidate is it */
    bool restores;          /* in-place arguments: one call per sample */
    uint64_t restore_bytes; /* that are copied before each */
    bool cold;              /* clear caches before each sample */
    bool device;            /* it has its own memory: see above */
    double floor_ns;        /* a sample of nothing; 0: unknown */
    struct osw_launch_floor launch; /* of a device; known */
    double light_ns; /* least time that its bytes and operations take; NaN */
    int64_t deadline_ns; /* floor of one request's deadline */
    uint64_t *random;
    /* Replace n sandboxes by fresh ones that ran the case once; all old ones
     * are gone before the first new one comes, so that memory is dealt anew.
     * False: one did not come up, and its place is NULL.
     */
    bool (*renew)(void *arg, struct osw_sandbox **sandboxes[], size_t n);
    /* Verify what the candidate's last call, with number `call` of those edits,
     * left.  False: it was wrong.  *lost_base: the baseline's sandbox is
     * gone.  NULL: calls cannot be verified.
     */
    bool (*verify)(void *arg, struct osw_sandbox *candidate,
                   const struct osw_edits *edits, uint64_t call,
                   bool *lost_base);
    /* A request failed: was it for want of a device's memory that others hold?
     * True: they have ended, and it may be asked for again.  NULL: no.
     */
    bool (*relieve)(void *arg, const struct osw_sandbox *sandbox);
    void *arg; /* of these three */
    /* Where the first two leave the verdict on a candidate whose fresh process
     * died or failed, or that was wrong.
     */
    const struct osw_record *failed;
};

/* Timed calls are judged calls: inputs and outputs of each are edited before it
 * (edits.h).  The last call of some blocks is verified like any other; the
 * judge chooses those blocks at random after the call.
 *
 * Sets the timing columns of *record and its samples, in the job's memory;
 * phases are the caller's.  Both sandboxes ran the case already.  A candidate
 * that dies or fails while it is timed, in any of its processes, ends with that
 * state, phase `time`, and so does one that is wrong; one whose clock is slow
 * ends as `implausible`, and one whose clock cannot be checked on a busy
 * machine as `skipped`.
 */
void osw_measure(const struct osw_measure_job *job, struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_MEASURE_H */
