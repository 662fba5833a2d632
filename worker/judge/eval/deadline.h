/* worker/judge/eval/deadline.h - how long one call may take
 *
 * Pure.  A call that hangs costs its worker the whole deadline, so it follows
 * from what this one call should take, not from its case: many implementations
 * and their timing are predicted to take far longer.
 *
 * Upstream: eval.c.
 */
#ifndef OSW_WORKER_JUDGE_DEADLINE_H
#define OSW_WORKER_JUDGE_DEADLINE_H

#include <stdint.h>

enum {
    /* Predictions are of good code; naive code takes up to 40 times as long. */
    OSW_DEADLINE_PREDICTIONS = 50,
    /* The reference is slow by itself: in double, on one core. */
    OSW_DEADLINE_REFERENCES = 10,
};

/* Nanoseconds that one call of an implementation may take: the largest of the
 * floor, 50 times its prediction and 10 times what the reference took.
 * Nothing is known of a prediction or a reference of 0 or less.
 */
int64_t osw_deadline_of_call(int64_t prediction_ns, int64_t reference_ns,
                             int64_t floor_ns);

/* The floor: op.json's `timeout_s`, shorter or longer than any other; where it
 * says nothing (0) the campaign's --timeout; without that (0) the default.
 * Never below `least_ns`, which is for code that is known to be slow: under a
 * tool, or where the first call compiles.
 */
int64_t osw_deadline_floor(double op_timeout_s, int64_t campaign_ns,
                           int64_t default_ns, int64_t least_ns);

#endif /* OSW_WORKER_JUDGE_DEADLINE_H */
