/* worker/judge/memory/guard.h - poison around, between and under elements
 *
 * A write to a forbidden place destroys poison there; an output that was not
 * written still holds poison.
 *
 * Outputs are poisoned with a different byte in each of two runs: an element
 * that holds the poison of its run both times was not written.
 */
#ifndef OSW_WORKER_JUDGE_GUARD_H
#define OSW_WORKER_JUDGE_GUARD_H

#include "worker/judge/memory/view.h"

/* Set data[0..n) to `pattern`; offset of the first byte that is not, or -1. */
void osw_guard_fill(void *data, uint64_t n, unsigned char pattern);
int64_t osw_guard_check(const void *data, uint64_t n, unsigned char pattern);

/* Offset of the first byte in which a[0..n) and b[0..n) differ, or -1. */
int64_t osw_guard_differs(const void *a, const void *b, uint64_t n);

/* The same for the bytes between first and last element of a view that belong
 * to no element; offsets are in bytes from view->data.  Layouts that neither
 * nest nor cover their storage (no slicing makes them) take longer.
 */
void osw_guard_fill_gaps(const struct osw_view *v, unsigned char pattern);
int64_t osw_guard_check_gaps(const struct osw_view *v, unsigned char pattern);

/* Does the element of a row-major index hold nothing but the pattern? */
bool osw_guard_is_poison(const struct osw_view *v, int64_t index,
                         unsigned char pattern);

#endif /* OSW_WORKER_JUDGE_GUARD_H */
