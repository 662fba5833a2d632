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

/* Results below it are tiny: no difference of numbers near 1 is, so that an
 * implementation which gives 0 instead has dropped the result, not rounded it.
 */
#define OSW_VALUE_TINY 0x1p-60

/* What the arithmetic needs to know of a floating dtype. */
struct osw_value_rule {
    osw_dtype dl;
    double min_normal;       /* below it, the last place stays the same */
    double fraction;         /* 2^(precision - 1) */
    double rtol, atol, ntol; /* so small that no product is infinite */
    double tiny;     /* below it a result must have its size; 0: it need not */
    int signed_zero; /* +0 and -0 differ */
};

/* Of a tiny result: what it may be off by, in proportion to itself. */
#define OSW_VALUE_TINY_RTOL 0.125

/* In rising order: of two parts the worse one counts. */
enum { OSW_VALUE_GOOD, OSW_VALUE_BAD, OSW_VALUE_NAN };

/* What a size or a finite norm above 0 counts for: below the smallest normal
 * number the last place stays the same, and errors with it.
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

/* A result of 0 has no size that an error could be in proportion to. */
OSW_HD static inline double osw_value_tolerance(const struct osw_value_rule *r,
                                                double size, double norm)
{
    double counts = size > 0 ? osw_value_amount(r, size) : 0;
    double near = OSW_ADD(r->atol, OSW_MUL(r->rtol, counts));

    return OSW_ADD(near, OSW_MUL(r->ntol, norm));
}

/* Must a result of this size not become 0?  Numbers that a kernel may flush to
 * zero are exempt: subnormal ones, and those that round to one.
 */
OSW_HD static inline int osw_value_is_tiny(const struct osw_value_rule *r,
                                           double size)
{
    return size < r->tiny && size >= 2 * r->min_normal;
}

/* Is it near enough?  Both numbers are finite. */
OSW_HD static inline int osw_value_is_near(const struct osw_value_rule *r,
                                           double err, double size, double norm)
{
    if (osw_value_is_tiny(r, size) &&
        err > OSW_MUL(OSW_VALUE_TINY_RTOL + r->rtol, size))
        return 0;
    return err <= osw_value_tolerance(r, size, norm);
}

/* What an error of part k of an expected number is in proportion to: as for
 * torch.testing.assert_close the whole number, of which parts[n] are 1 or 2.  A
 * number that is not finite is none by its other part.
 */
OSW_HD static inline double osw_value_size(const double *parts, int n, int k)
{
    double size = n == 2 ? sqrt(OSW_ADD(OSW_MUL(parts[0], parts[0]),
                                        OSW_MUL(parts[1], parts[1])))
                         : fabs(parts[0]);

    return isfinite(size) && size > fabs(parts[k]) ? size : fabs(parts[k]);
}

/* One of the above; size: of `want`, or of the complex number that it is a part
 * of.  *err is the error that counts, or -1 when there is none: NaN where it
 * belongs or not, an infinity that is right.
 */
OSW_HD static inline int osw_value_judge(const struct osw_value_rule *r,
                                         double got, double want, double size,
                                         double norm, double *err)
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
    if (r->signed_zero && got == 0 && rounded == 0 &&
        (signbit(got) != 0) != (signbit(rounded) != 0))
        return OSW_VALUE_BAD;
    if (got == rounded ||
        (!isinf(got) && osw_value_is_near(r, *err, size, norm)))
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

/* An integer as it is stored; of a bool the byte, which may be neither 0 nor
 * 1.
 */
OSW_HD static inline int64_t osw_value_stored(osw_dtype dl, const void *p)
{
    return dl.code == OSW_BOOL ? (int64_t) * (const uint8_t *)p
                               : osw_load_int(dl, p);
}

/* The integer that a reference's view wants.  A reference that left another
 * byte than 0 or 1 in a bool may be repeated to the bit.
 */
OSW_HD static inline int64_t osw_value_wanted(osw_dtype dl, const void *want,
                                              int64_t got)
{
    return osw_value_stored(dl, want) == got ? got : osw_load_int(dl, want);
}

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

struct osw_value_integer {
    int verdict; /* OSW_VALUE_GOOD or OSW_VALUE_BAD */
    double err;  /* INFINITY: nothing that is stored is right */
    double rel;  /* the same in proportion to what is wanted */
    double part; /* of what is allowed */
};

/* want NULL: exact counts.  With a tolerance that is the number itself, without
 * one what storing it would leave.
 */
OSW_HD static inline void
osw_value_judge_integer(const struct osw_value_rule *r, osw_dtype dl,
                        const void *got, const void *want, double exact,
                        struct osw_value_integer *out)
{
    int64_t g = osw_value_stored(dl, got), w = 0;
    int possible = want || osw_value_to_integer(dl, exact, &w);
    int unrounded = !want && possible && (r->rtol > 0 || r->atol > 0);
    double allowed;

    if (want)
        w = osw_value_wanted(dl, want, g);
    if (unrounded) {
        out->err = fabs(OSW_ADD((double)g, -exact));
    } else {
        out->err = possible ? osw_value_distance(g, w) : INFINITY;
        exact = (double)w;
    }
    allowed = OSW_ADD(r->atol, OSW_MUL(r->rtol, fabs(exact)));
    out->rel = osw_value_rel(out->err, exact);
    out->part = out->err > 0 ? out->err / allowed : 0;
    out->verdict = out->err <= allowed ? OSW_VALUE_GOOD : OSW_VALUE_BAD;
}

#endif /* OSW_WORKER_JUDGE_COMPARE_VALUE_H */
