/* worker/judge/timing/whole.h - calls on inputs that are new in every element
 *
 * Before other timed calls one element changes, or a few: code that finds those
 * and computes only what follows from them is right, and takes a small part of
 * the time that a user's calls take.  Calls before which all elements change
 * show it.
 *
 * Upstream: blocks.h, edits.h.  Downstream: measure.c.
 */
#ifndef OSW_WORKER_JUDGE_WHOLE_H
#define OSW_WORKER_JUDGE_WHOLE_H

#include "worker/judge/timing/blocks.h"

/* Some such calls, the last of which may be verified, for s->whole_ns.
 * `base_ns`: a call of the baseline, or 0.  None where it would take too long,
 * in a gang, or where no input may change: 0.  As osw_blocks_ask.
 */
int osw_whole_ask(const struct osw_measure_job *job, struct osw_blocks *s,
                  int64_t base_ns) OSW_MUST_CHECK;

/* May calls with that median do the same work?  Asked again where it seems not,
 * so that a busy moment is no reason.  0: yes, or unknown; 1: no; -1: a call
 * failed.
 */
int osw_whole_differs(const struct osw_measure_job *job, struct osw_blocks *s,
                      int64_t base_ns, double median_ns) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_WHOLE_H */
