/* worker/judge/timing/figures.h - the figures of a record, from what was timed
 *
 * Upstream: blocks.h, samples.h.  Downstream: measure.c.
 */
#ifndef OSW_WORKER_JUDGE_FIGURES_H
#define OSW_WORKER_JUDGE_FIGURES_H

#include "worker/judge/timing/blocks.h"
#include "worker/judge/timing/samples.h"

/* Times, rates and how they were taken; `summary` is of the samples of `own`,
 * ns; `timer` is an
 * enum osw_timer.  The speedup and its interval against `base`, if it has
 * medians; NULL: none, or `own` is it.  On a device the interval contains the
 * differences between launches of the same code.
 */
void osw_figures_keep(const struct osw_measure_job *job,
                      const struct osw_blocks *own, struct osw_blocks *base,
                      const struct osw_summary *summary,
                      const struct osw_speedup *speedup, uint8_t timer,
                      struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_FIGURES_H */
