/* worker/judge/compare/truncation.h - were results cut off where they should
 * have been rounded?
 *
 * A result of 16 bits that is cut off is at most one unit in the last place
 * off, which every tolerance allows, but always to the same side: on average by
 * half a unit.  Rounding to nearest errs by half a unit at most, mostly to both
 * sides; all to one side where a factor lies just beside a power of 2 (65504 is
 * 2^16 - 2^5).  A common factor that was rounded before moves all errors to one
 * side, too, but by up to twice as many units at the top of a binade as at its
 * bottom, so that some leave the unit that is left to a number cut off.
 *
 * So results are cut off if, of 1,000 or more that 16 bits cannot hold, over 4
 * binades or more, 99 of 100 are off by -0.1 to 1.1 units to the same side, and
 * one in 5 by more than 0.6.  f32 and f64 are left out: there the
 * errors of the arithmetic itself are as large.
 *
 * Pure arithmetic on the host's memory.
 */
#ifndef OSW_WORKER_JUDGE_TRUNCATION_H
#define OSW_WORKER_JUDGE_TRUNCATION_H

#include "worker/judge/compare/compare.h"

struct osw_truncation {
    int64_t n;   /* results that had to be rounded */
    double mean; /* units that they are off by, positive: away from 0 */
};

/* Can outputs of this dtype show it? */
bool osw_truncation_is_seen(enum osw_dtype_id dtype);

/* n dense elements of such a dtype, and their unrounded values.  It looks at as
 * many as decide it; `out` is filled in where they are cut off.
 */
bool osw_truncation_find(enum osw_dtype_id dtype, const void *got,
                         const double *want, int64_t n,
                         struct osw_truncation *out);

/* Can `total` elements, of which these are the first n, still be cut off? */
bool osw_truncation_is_possible(enum osw_dtype_id dtype, const void *got,
                                const double *want, int64_t n, int64_t total);

#endif /* OSW_WORKER_JUDGE_TRUNCATION_H */
