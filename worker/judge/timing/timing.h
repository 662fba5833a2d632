/* worker/judge/timing/timing.h - a cell is timed: its sandboxes and its device
 *
 * Between a bundle's rounds and worker/judge/timing/measure.h, which asks for
 * samples: sandboxes at the case's own inputs, new or moved ones between
 * measure's rounds, roofs and state of the device.
 */
#ifndef OSW_WORKER_JUDGE_TIMING_H
#define OSW_WORKER_JUDGE_TIMING_H

#include "worker/judge/eval/eval.h"

/* A sandbox of implementation `index` that has run the case's own inputs once;
 * NULL, with the verdict in *record, when it did not.
 */
struct osw_sandbox *osw_timing_start(struct osw_eval *run, size_t index,
                                     struct osw_record *record);

/* Once, before anything is timed and while nothing else starts: what a sample
 * of nothing takes, and how fast memory is.  Copies tell nothing of caches: see
 * osw_device.cache_bytes.
 */
void osw_timing_know_device(struct osw_judge *judge);

/* Does every round of timing begin with code and data elsewhere, in fresh
 * processes or in the same?
 */
bool osw_timing_begins_anew(const struct osw_judge *judge);

/* Time an implementation that has run, in `sandbox`, against the baseline if
 * there is one; times and verdicts on claims go to *record, and telemetry until
 * osw_timing_settle().
 */
void osw_timing_measure(struct osw_eval *run, size_t index,
                        struct osw_sandbox *sandbox, struct osw_record *record);

/* Wait for what the driver has to say of the last one. */
void osw_timing_settle(struct osw_judge *judge);

#endif /* OSW_WORKER_JUDGE_TIMING_H */
