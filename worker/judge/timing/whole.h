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

enum osw_whole {
    OSW_WHOLE_SAME,    /* calls do the same work, or it is not known */
    OSW_WHOLE_SLOWER,  /* those on new inputs take longer: their times count */
    OSW_WHOLE_DIFFERS, /* they do not */
    OSW_WHOLE_UNCLEAR, /* calls that are made one by one are slow, too */
    OSW_WHOLE_FAILED,  /* one failed */
};

/* Can calls with that median do the work that calls on new inputs do?  Where it
 * seems not, as many calls with one new element are made in the same rhythm, by
 * turns: a busy machine slows both.
 */
enum osw_whole osw_whole_compare(const struct osw_measure_job *job,
                                 struct osw_blocks *s,
                                 double median_ns) OSW_MUST_CHECK;

/* From now on blocks have such calls only: forget the others. */
void osw_whole_begin(struct osw_blocks *s);

/* Time one block of them, as osw_blocks_take.  On a processor some are timed by
 * the judge's clock, and the slower kind counts: code knows such calls.
 */
enum osw_blocks_kept osw_whole_take(const struct osw_measure_job *job,
                                    struct osw_blocks *s);

#endif /* OSW_WORKER_JUDGE_WHOLE_H */
