/* worker/judge/compare/compare_value.h - one value against what it should be
 *
 * The rule of compare.h for a single value, to the same bits on a host and on
 * a device.  Upstream: compare.c and its twin on a device, which look quickly
 * at most values and closely at the odd ones.
 */
#ifndef OSW_WORKER_JUDGE_COMPARE_VALUE_H
#define OSW_WORKER_JUDGE_COMPARE_VALUE_H

#include <math.h>
#include <stdint.h>

#include <opsweep/elements.h>

#include "worker/judge/inputs/element_round.h"

/* Past it, reciprocals of exponents leave the normal range. */
#define OSW_VALUE_HUGE 0x1p1000

/* What the arithmetic needs to know of a floating dtype. */
struct osw_value_rule {
    osw_dtype dl;
    double min_normal;       /* below it, the last place stays the same */
    double fraction;         /* 2^(precision - 1) */
    double rtol, atol, ntol; /* so small that no product is infinite */
};

/* In rising order: of two parts the worse one counts. */
enum { OSW_VALUE_GOOD, OSW_VALUE_BAD, OSW_VALUE_NAN };

/* What a finite norm above 0 counts for: below the smallest normal number the
 * last place stays the same, and errors with it.
 */
OSW_HD static inline double osw_value_amount(const struct osw_value_rule *r,
                                             double norm)
{
    return norm > r->min_normal ? norm : r->min_normal;
}

/* A norm counts where it is finite and above 0; else it is as good as 0. */
OSW_HD static inline double osw_value_norm(const struct osw_value_rule *r,
                                           double norm)
{
    return norm > 0 && !isinf(norm) ? osw_value_amount(r, norm) : 0;
}

OSW_HD static inline double osw_value_tolerance(const struct osw_value_rule *r,
                                                double size, double norm)
{
    double near = OSW_ADD(r->atol, OSW_MUL(r->rtol, size));

    return OSW_ADD(near, OSW_MUL(r->ntol, norm));
}

/* One of the above; *err is the error that counts, or -1 when there is none:
 * NaN where it belongs or not, an infinity that is right.
 */
OSW_HD static inline int osw_value_judge(const struct osw_value_rule *r,
                                         double got, double want, double norm,
                                         double *err)
{
    uint64_t stored[2] = {0, 0};
    double rounded;

    *err = -1;
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? OSW_VALUE_GOOD : OSW_VALUE_NAN;
    if (isinf(want)) {
        if (got == want)
            return OSW_VALUE_GOOD;
        *err = INFINITY;
        return OSW_VALUE_BAD;
    }
    osw_store(r->dl, stored, want);
    rounded = osw_load(r->dl, stored);
    if (isinf(got) && got == rounded)
        return OSW_VALUE_GOOD;
    *err = fabs(OSW_ADD(got, -want));
    if (got == rounded ||
        (!isinf(got) && *err <= osw_value_tolerance(r, fabs(want), norm)))
        return OSW_VALUE_GOOD;
    return OSW_VALUE_BAD;
}

/* An error in proportion to what is wanted; 0 where that is 0. */
OSW_HD static inline double osw_value_rel(double err, double want)
{
    double size = isinf(want) ? 1 : fabs(want);

    return size > 0 ? err / size : 0;
}

/* An error in units of the last place that the dtype has at `want`. */
OSW_HD static inline double osw_value_ulps(const struct osw_value_rule *r,
                                           double err, double want)
{
    double size = isinf(want) ? 1 : fabs(want);
    int exponent = ilogb(size > r->min_normal ? size : r->min_normal);

    return ldexp(err, -exponent) * r->fraction;
}

/* --- integers and bool --- */

/* The integer that storing `want` would leave; 0: there is none. */
OSW_HD static inline int osw_value_to_integer(osw_dtype dl, double want,
                                              int64_t *out)
{
    uint64_t stored = 0;

    if (!(want >= -0x1p63 && want < 0x1p63))
        return 0;
    *out = (int64_t)want;
    memcpy(&stored, out, 8); /* little endian: the low bytes */
    return osw_load_int(dl, &stored) == *out;
}

OSW_HD static inline double osw_value_distance(int64_t got, int64_t want)
{
    return (double)(got > want ? (uint64_t)got - (uint64_t)want
                               : (uint64_t)want - (uint64_t)got);
}

#endif /* OSW_WORKER_JUDGE_COMPARE_VALUE_H */
