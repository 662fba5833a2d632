/* worker/judge/timing/measure.h - how long an implementation takes, against
 * another
 *
 * Rounds of alternating blocks (ABBA or BAAB, at random each time), so that
 * drift of the machine cancels.  Each round has fresh sandboxes: the addresses
 * of code and data change a kernel's time by percents for the life of its
 * process, and samples from one process cannot show that.  A round is one
 * observation.  Intervals are over rounds; measuring ends once they are narrow
 * enough.
 *
 * On a processor the judge's clock confirms each block of the candidate, or the
 * block does not count: see claim.h.  Blocks are long enough for that.
 *
 * On a device with its own memory, processes differ little, so rounds share
 * their sandboxes.  Samples there are cold, by the device's events; the times
 * with warm caches and by the host's clock are recorded too.  The events are
 * recorded in the untrusted process, so the judge cross-checks them: it times
 * requests of k and of 3 k calls by its own clock, in random order.  The time
 * per call from their difference must not be far above the claim.
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
    double limit_ns; /* the same, if caches held what they can; NaN */
    int64_t deadline_ns; /* floor of one request's deadline */
    uint64_t *random;
    /* Replace n sandboxes by fresh ones that ran the case once.  All old ones
     * end before the first new one starts, so that the kernel places memory
     * anew.  False: one did not start, and its place is NULL.
     */
    bool (*renew)(void *arg, struct osw_sandbox **sandboxes[], size_t n);
    /* Verify what the candidate's last call, with number `call` of those edits,
     * left.  False: it was wrong.  *lost_base: the baseline's sandbox is
     * gone.  NULL: calls cannot be verified.
     */
    bool (*verify)(void *arg, struct osw_sandbox *candidate,
                   const struct osw_edits *edits, uint64_t call,
                   bool *lost_base);
    /* A request failed: did it lack device memory that other sandboxes held?
     * True: these have ended, and the request may be repeated.  NULL: no.
     */
    bool (*relieve)(void *arg, const struct osw_sandbox *sandbox);
    void *arg; /* of these three */
    /* Where the first two store the verdict on a candidate that was wrong, or
     * that died or failed in a fresh process.
     */
    const struct osw_record *failed;
};

/* Timed calls are judged calls: inputs and outputs of each are edited before it
 * (edits.h).  The last call of some blocks is verified like any other; the
 * judge chooses those blocks at random after the call.
 *
 * Sets the timing columns of *record and its samples, in the job's memory;
 * phases are the caller's.  Both sandboxes ran the case already.
 *
 * A candidate that dies, fails or is wrong while it is timed, in any of its
 * processes, ends with that state, phase `time`.  With a slow clock it ends as
 * `implausible`; as `skipped` when its clock cannot be checked on a busy
 * machine.
 */
void osw_measure(const struct osw_measure_job *job, struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_MEASURE_H */
