/* worker/judge/eval/look_values.h - are the values of a call right?
 *
 * Upstream: look.c, once outputs are in the judge's copy.  Downstream:
 * compare/.
 */
#ifndef OSW_WORKER_JUDGE_LOOK_VALUES_H
#define OSW_WORKER_JUDGE_LOOK_VALUES_H

#include "worker/judge/eval/look.h"

/* Record a fault; false, so that `return osw_look_found(...)` ends the look. */
bool osw_look_found(const struct osw_look *look, struct osw_findings *f,
                    enum osw_fault fault, const char *fmt, ...)
    OSW_PRINTF(4, 5);

/* Compare all outputs with what is expected of them, into *f. */
void osw_look_values(const struct osw_look *look, struct osw_findings *f);

#endif /* OSW_WORKER_JUDGE_LOOK_VALUES_H */
