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

#include "ops/record/record.h"
#include "worker/judge/timing/measure_job.h"

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
