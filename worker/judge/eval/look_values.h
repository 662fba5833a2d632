/* worker/judge/eval/look_values.h - are the values of a call right?
 *
 * Upstream: look.c, which makes the judge's copy of its outputs.  Downstream:
 * compare/.
 */
#ifndef OSW_WORKER_JUDGE_LOOK_VALUES_H
#define OSW_WORKER_JUDGE_LOOK_VALUES_H

#include "worker/judge/eval/look.h"

/* Output i in the judge's copy, made by osw_look(); NULL data: there is none.
 * The copy is valid until the next look in the same place.
 */
struct osw_view osw_look_output(const struct osw_look *look, uint32_t i,
                                struct osw_tensor_desc *desc);

/* Bytes that the copy takes, and where output i of the result lies in it. */
uint64_t osw_look_copy_bytes(const struct osw_look *look);
unsigned char *osw_look_copied(const struct osw_look *look, uint32_t i);

/* Record a fault; false, so that `return osw_look_found(...)` ends the look. */
bool osw_look_found(const struct osw_look *look, struct osw_findings *f,
                    enum osw_fault fault, const char *fmt, ...)
    OSW_PRINTF(4, 5);

/* Compare all outputs with what is expected of them, into *f. */
void osw_look_values(const struct osw_look *look, struct osw_findings *f);

#endif /* OSW_WORKER_JUDGE_LOOK_VALUES_H */
