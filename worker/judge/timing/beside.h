/* worker/judge/timing/beside.h - what a device is timed for beside its cold
 * samples: warm caches, the host's clock, and whether its claims can be true
 *
 * Upstream: blocks.h, device_clock.h, roofline.h.  Downstream: measure.c.
 */
#ifndef OSW_WORKER_JUDGE_BESIDE_H
#define OSW_WORKER_JUDGE_BESIDE_H

#include "worker/judge/timing/blocks.h"

/* Times of calls with warm caches and by the host's clock, t_hot_ns, t_wall_ns
 * and t_floor_ns of *record; t_median_ns is there.  Then the claims are held
 * against the judge's clock and what bytes and operations take.  A cell that
 * does not get through has the state, phase and reason for it.
 */
void osw_beside_measure(const struct osw_measure_job *job,
                        struct osw_blocks *own, struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_BESIDE_H */
