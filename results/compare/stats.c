/* results/compare/stats.c - the statistics that comparing rests on */
#include "results/compare/stats.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_TERMS = 300, BISECTIONS = 200 };
/* Of the capital, on each round: more wins sooner, and loses more at once. */
#define STAKE 0.9

/* --- Student's t --- */

/* Continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (int m = 1; m <= MAX_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 + even * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return h;
}

/* I_x(a, b). */
static double beta(double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2)
               ? front * beta_fraction(a, b, x) / a
               : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double osw_stats_t_tail(double t, double df)
{
    double half = beta(df / 2, 0.5, df / (df + t * t)) / 2;

    return t > 0 ? half : 1 - half;
}

double osw_stats_t_quantile(double p, double df)
{
    double lo = 0, hi = 1;

    if (p > 0.5)
        return -osw_stats_t_quantile(1 - p, df);
    while (osw_stats_t_tail(hi, df) > p && hi < 1e300)
        hi *= 2;
    for (int i = 0; i < BISECTIONS && hi - lo > 1e-12 * hi; i++) {
        double middle = (lo + hi) / 2;

        if (osw_stats_t_tail(middle, df) > p)
            lo = middle;
        else
            hi = middle;
    }
    return (lo + hi) / 2;
}

/* --- means --- */

struct osw_stats_mean osw_stats_mean(const float *x, size_t n, double level)
{
    struct osw_stats_mean out = {NAN, NAN};
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    if (n > 0)
        out.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)x[i] - out.mean) * ((double)x[i] - out.mean);
    if (n > 1)
        out.half = osw_stats_t_quantile((1 - level) / 2, (double)n - 1) *
                   sqrt(squares / ((double)n - 1) / (double)n);
    return out;
}

double osw_stats_next(const float *x, size_t n, double least, double level)
{
    double t = osw_stats_t_quantile((1 - level) / 2, (double)n - 1);
    double half = osw_stats_mean(x, n, level).half;
    double deviation = fmax(least, half / t * sqrt((double)n));

    return t * deviation * sqrt(1 + 1 / (double)n);
}

struct osw_stats_mean osw_stats_clustered(const double *sums,
                                          const double *counts, size_t n,
                                          double level)
{
    struct osw_stats_mean out = {NAN, NAN};
    double sum = 0, count = 0, squares = 0, groups = 0;

    for (size_t i = 0; i < n; i++) {
        sum += sums[i];
        count += counts[i];
        groups += counts[i] > 0;
    }
    if (count > 0)
        out.mean = sum / count;
    for (size_t i = 0; i < n; i++) {
        double rest = counts[i] > 0 ? sums[i] - counts[i] * out.mean : 0;

        squares += rest * rest;
    }
    if (groups > 1)
        out.half = osw_stats_t_quantile((1 - level) / 2, groups - 1) *
                   sqrt(groups / (groups - 1) * squares) / count;
    return out;
}

bool osw_stats_same(double difference, double half, double margin)
{
    return fabs(difference) + half < margin; /* false for NaN */
}

/* --- many tests --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double osw_stats_bh(double *p, size_t n, double q)
{
    if (n > 0)
        qsort(p, n, sizeof(*p), by_value);
    for (size_t k = n; k > 0; k--)
        if (p[k - 1] <= q * (double)k / (double)n)
            return q * (double)k / (double)n;
    return 0;
}

double osw_stats_ebh(double *e, size_t n, double q)
{
    if (n > 0)
        qsort(e, n, sizeof(*e), by_value);
    for (size_t k = n; k > 0; k--)
        if (e[n - k] >= (double)n / (q * (double)k))
            return e[n - k];
    return INFINITY;
}

double osw_stats_bet(double capital, bool won)
{
    return capital * (won ? 1 + STAKE : 1 - STAKE);
}

unsigned osw_stats_bets_for(double wanted)
{
    unsigned n = 0;

    for (double capital = 1; capital < wanted; n++)
        capital = osw_stats_bet(capital, true);
    return n;
}

double osw_stats_inflation(size_t n, double rho)
{
    double sum = 1, power = rho;

    for (size_t k = 1; k < n; k++, power *= rho)
        sum += 2 * (1 - (double)k / (double)n) * power;
    return sum;
}
