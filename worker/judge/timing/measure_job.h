/* worker/judge/timing/measure_job.h - what is timed, and how
 *
 * Upstream: timing.c.  Downstream: measure.h, blocks.h.
 */
#ifndef OSW_WORKER_JUDGE_MEASURE_JOB_H
#define OSW_WORKER_JUDGE_MEASURE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "ops/record/record.h"
#include "worker/judge/gang/agree.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"
#include "worker/launch_floor.h"
#include "worker/profile.h"

struct osw_measure_job {
    osw_arena_t *memory;
    /* With members of a gang all requests are made together, in the same order
     * and by the same random numbers, and a sample is the longest of them all.
     */
    struct osw_agree *agree;
    const struct osw_trial *trial; /* the case's own inputs */
    const struct osw_profile *profile;
    struct osw_sandbox *candidate;
    struct osw_sandbox
        *baseline;          /* NULL: the candidate is it, or there is none */
    bool is_baseline;       /* the candidate is it */
    bool restores;          /* in-place arguments: one call per sample */
    uint64_t restore_bytes; /* that are copied before each */
    bool cold;              /* clear caches before each sample */
    bool device;            /* it has its own memory, or the calls are a gang's:
                               claims are checked by device_clock.h */
    bool edits; /* an element of the inputs changes before each call (edits.h),
                   so that calls can be verified */
    bool own_memory;                /* the device has */
    bool on_processor;              /* the device's work is done there */
    double floor_ns;                /* a sample of nothing; 0: unknown */
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
     * left.  False: it was wrong, in a member of the gang at least.
     * *lost_base: the baseline's sandbox is gone.  NULL: calls cannot be
     * verified.
     */
    bool (*verify)(void *arg, struct osw_sandbox *candidate,
                   const struct osw_edits *edits, uint64_t call,
                   bool *lost_base);
    /* A request failed: did it lack device memory that other sandboxes held?
     * True: these have ended, and the request may be repeated.  NULL: no.
     */
    bool (*relieve)(void *arg, const struct osw_sandbox *sandbox);
    /* How many times as long as ever before does a computation of the judge's
     * own take on the device now?  NULL: on a processor.
     */
    double (*crowded)(void *arg);
    void *arg; /* of these four */
    /* Where the first two store the verdict on a candidate that was wrong, or
     * that died or failed in a fresh process.
     */
    const struct osw_record *failed;
};

#endif /* OSW_WORKER_JUDGE_MEASURE_JOB_H */
