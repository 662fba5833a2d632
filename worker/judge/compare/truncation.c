/* worker/judge/compare/truncation.c - were results cut off where they should
 * have been rounded?
 */
#include "worker/judge/compare/truncation.h"

enum {
    LEAST = 1000, /* elements */
    BINADES = 4,
    OTHERS = 100, /* one in so many may be off otherwise */
    FAR_ONES = 5, /* one in so many, at least, is off by more than rounding */
};

#define MARGIN 0.1 /* units: errors of the arithmetic before */

bool osw_truncation_is_seen(enum osw_dtype_id dtype)
{
    return dtype == OSW_F16 || dtype == OSW_BF16;
}

/* What is known of the elements so far. */
struct seen {
    int64_t n;
    double sum;          /* of errors in units, away from 0 */
    int64_t n_in, n_out; /* within a unit towards 0, and away from it */
    int64_t n_far;       /* by more than rounding to nearest */
    int lowest, highest; /* exponents */
};

static void take(const struct osw_value_rule *rule, double got, double want,
                 struct seen *s)
{
    uint64_t stored[2] = {0, 0};
    int exponent;
    double off;

    if (!isfinite(want) || !isfinite(got) || fabs(want) < rule->min_normal)
        return;
    osw_store(rule->dl, stored, want);
    if (osw_load(rule->dl, stored) == want)
        return;
    off = osw_value_ulps(rule, fabs(got) - fabs(want), want);
    if (got != 0 && signbit(got) != signbit(want))
        off = INFINITY;
    exponent = ilogb(want);
    s->lowest = s->n == 0 || exponent < s->lowest ? exponent : s->lowest;
    s->highest = s->n == 0 || exponent > s->highest ? exponent : s->highest;
    s->n++;
    s->sum += isinf(off) ? 0 : off;
    s->n_in += off >= -1 - MARGIN && off <= MARGIN;
    s->n_out += off <= 1 + MARGIN && off >= -MARGIN;
    s->n_far += fabs(off) > 0.5 + MARGIN;
}

/* Those that are off to the side to which fewer are. */
static int64_t n_others(const struct seen *s)
{
    return s->n - (s->n_in > s->n_out ? s->n_in : s->n_out);
}

/* There are too many of them already, whatever the rest of `total` is. */
static bool is_refuted(const struct seen *s, int64_t total)
{
    return n_others(s) > total / OTHERS;
}

/* Look at n elements, or as many as tell that `total` are not cut off. */
static struct seen look_at(enum osw_dtype_id dtype, const void *got,
                           const double *want, int64_t n, int64_t total)
{
    const struct osw_accept none = {.exact = true};
    struct osw_value_rule rule = osw_compare_rule(dtype, &none);
    int64_t bytes = (int64_t)osw_dtype_info((int)dtype)->bytes;
    struct seen s = {.n = 0};

    for (int64_t i = 0; i < n && !is_refuted(&s, total); i++)
        take(&rule, osw_load(rule.dl, (const char *)got + i * bytes), want[i],
             &s);
    return s;
}

bool osw_truncation_is_possible(enum osw_dtype_id dtype, const void *got,
                                const double *want, int64_t n, int64_t total)
{
    struct seen s = look_at(dtype, got, want, n, total);

    return !is_refuted(&s, total);
}

bool osw_truncation_find(enum osw_dtype_id dtype, const void *got,
                         const double *want, int64_t n,
                         struct osw_truncation *out)
{
    struct seen s = look_at(dtype, got, want, n, n);

    *out = (struct osw_truncation){.n = s.n,
                                   .mean = s.n > 0 ? s.sum / (double)s.n : 0};
    return s.n >= LEAST && s.highest - s.lowest >= BINADES - 1 &&
           n_others(&s) <= s.n / OTHERS && s.n_far >= s.n / FAR_ONES;
}
