/* worker/judge/timing/samples.c - statistics of timed samples */
#include "worker/judge/timing/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_INTERVAL = 6, /* 2 * 2^-6 < 5 %: fewer cannot bound anything */
    MAX_QUADS = 64,   /* looked at singly */
    MAX_PAIRS = MAX_QUADS * (MAX_QUADS + 1) / 2,
};

#define TAIL 0.025 /* on either side */

static int by_value(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

void osw_samples_sort(double *v, size_t n)
{
    if (n > 1)
        qsort(v, n, sizeof(*v), by_value);
}

double osw_samples_quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;

    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

double osw_samples_median(double *v, size_t n)
{
    osw_samples_sort(v, n);
    return osw_samples_quantile(v, n, 0.5);
}

double osw_samples_median_f32(const float *v, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = (double)v[i];
    return osw_samples_median(scratch, n);
}

/* --- one series --- */

/* P(X = k) for X ~ Binomial(n, 1/2) and k = n / 2: a product of numbers near
 * 1, which no n makes underflow; its neighbours follow by ratio.
 */
static double central(size_t n)
{
    double p = 1;

    for (size_t i = 1; i <= n / 2; i++)
        p *= (double)(2 * i - 1) / (double)(2 * i);
    if (n % 2) /* C(n, n/2) / 2^n from C(n - 1, n/2) / 2^(n - 1) */
        p *= (double)n / (double)(n + 1);
    return p;
}

bool osw_samples_median_ranks(size_t n, size_t *lo, size_t *hi)
{
    size_t k = n / 2;
    double p, below;

    if (n < MIN_INTERVAL)
        return false;
    /* below = P(X < k), first by symmetry about n / 2 */
    p = central(n);
    below = n % 2 ? 0.5 - p : (1 - p) / 2;
    while (below > TAIL && k > 1) {
        p *= (double)k / (double)(n - k + 1);
        below -= p;
        k--;
    }
    *lo = k;
    *hi = n + 1 - k;
    return true;
}

/* Deviations from the median grow outwards from it: merge both sides. */
static double sorted_mad(const double *sorted, size_t n, double median)
{
    size_t right = 0, left, rank = 0;
    double last = 0, middle = 0;

    while (right < n && sorted[right] < median)
        right++;
    left = right; /* elements before it are to the left */
    while (rank <= n / 2) {
        double below = left > 0 ? median - sorted[left - 1] : INFINITY;
        double above = right < n ? sorted[right] - median : INFINITY;

        last = middle;
        middle = below < above ? below : above;
        if (below < above)
            left--;
        else
            right++;
        rank++;
    }
    return n % 2 ? middle : (last + middle) / 2;
}

void osw_samples_summarize(double *v, size_t n, struct osw_summary *out)
{
    size_t lo, hi;
    double sum = 0;

    *out = (struct osw_summary){.n = n,
                                .min = NAN,
                                .q1 = NAN,
                                .median = NAN,
                                .q3 = NAN,
                                .p95 = NAN,
                                .max = NAN,
                                .mean = NAN,
                                .mad = NAN,
                                .ci_lo = NAN,
                                .ci_hi = NAN};
    if (n == 0)
        return;
    osw_samples_sort(v, n);
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    out->min = v[0];
    out->q1 = osw_samples_quantile(v, n, 0.25);
    out->median = osw_samples_quantile(v, n, 0.5);
    out->q3 = osw_samples_quantile(v, n, 0.75);
    out->p95 = osw_samples_quantile(v, n, 0.95);
    out->max = v[n - 1];
    out->mean = sum / (double)n;
    out->mad = sorted_mad(v, n, out->median);
    if (osw_samples_median_ranks(n, &lo, &hi)) {
        out->ci_lo = v[lo - 1];
        out->ci_hi = v[hi - 1];
    }
}

void osw_samples_over_rounds(const double *blocks, size_t n_rounds,
                             double *room, struct osw_summary *out)
{
    struct osw_summary rounds;

    for (size_t k = 0; k < n_rounds; k++)
        room[k] = 0.5 * (blocks[2 * k] + blocks[2 * k + 1]);
    osw_samples_summarize(room, n_rounds, &rounds);
    out->median = rounds.median;
    out->ci_lo = rounds.ci_lo;
    out->ci_hi = rounds.ci_hi;
}

/* --- two series --- */

/* Largest w with P(W <= w) <= 2.5 % for the signed-rank sum W of n pairs.
 * The number of subsets of {1 .. n} by their sum, over 2^n, term by term.
 */
static size_t signed_rank(size_t n)
{
    double p[MAX_PAIRS + 1] = {1}, sum = 0;
    size_t last = 0, w = 0;

    for (size_t k = 1; k <= n; k++) {
        last += k;
        for (size_t s = last + 1; s-- > 0;)
            p[s] = (p[s] + (s >= k ? p[s - k] : 0)) / 2;
    }
    while (sum + p[w] <= TAIL)
        sum += p[w++];
    return w - 1; /* P(W <= 0) = 2^-n is small enough from 6 on */
}

static double quad_log_ratio(const double *b, const double *c)
{
    return (log(b[0]) + log(b[1]) - log(c[0]) - log(c[1])) / 2;
}

/* Group g of n_groups over n quads: the median of its log ratios. */
static double group_median(const double *baseline, const double *candidate,
                           size_t first, size_t end, double *room)
{
    size_t n = end - first;

    for (size_t i = 0; i < n; i++)
        room[i] = quad_log_ratio(baseline + 2 * (first + i),
                                 candidate + 2 * (first + i));
    return osw_samples_median(room, n);
}

/* Means of all pairs of d[0..n), each with itself too, sorted. */
static size_t pair_means(const double *d, size_t n, double *means)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            means[m++] = (d[i] + d[j]) / 2;
    osw_samples_sort(means, m);
    return m;
}

void osw_samples_speedup(const double *baseline, const double *candidate,
                         size_t n_quads, struct osw_speedup *out)
{
    double d[MAX_QUADS], means[MAX_PAIRS];
    size_t n, m;

    /* A group's members beyond what there is room for are left out. */
    n = n_quads < MAX_QUADS ? n_quads : MAX_QUADS;
    *out = (struct osw_speedup){
        .n_quads = n_quads, .ratio = NAN, .lo = NAN, .hi = NAN};
    if (n == 0)
        return;
    for (size_t g = 0; g < n; g++) {
        size_t first = g * n_quads / n, end = (g + 1) * n_quads / n;

        if (end - first > MAX_PAIRS)
            end = first + MAX_PAIRS;
        d[g] = group_median(baseline, candidate, first, end, means);
    }
    m = pair_means(d, n, means);
    out->ratio = exp(osw_samples_quantile(means, m, 0.5));
    if (n >= MIN_INTERVAL) {
        size_t w = signed_rank(n);

        out->lo = exp(means[w]);
        out->hi = exp(means[m - 1 - w]);
    }
}
