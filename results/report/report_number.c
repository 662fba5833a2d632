/* results/report/report_number.c - numbers with units, as people read them */
#include "results/report/report_number.h"

#include <math.h>
#include <stdio.h>

/* Of the ends of an interval that is printed. */
#define MOST_SPAN 100.0

/* Three digits of a number below 1000. */
static int decimals(double v)
{
    return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

const char *osw_report_duration(double ns, char *buf, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;

    if (isnan(ns)) {
        snprintf(buf, size, "n/a");
        return buf;
    }
    while (i < 3 && ns < units[i].ns)
        i++;
    ns /= units[i].ns;
    snprintf(buf, size, "%.*f %s", decimals(ns), ns, units[i].unit);
    return buf;
}

const char *osw_report_factor(double factor, char *buf, size_t size)
{
    if (isnan(factor))
        snprintf(buf, size, "n/a");
    else if (factor < 0.01)
        snprintf(buf, size, "<0.01x");
    else
        snprintf(buf, size, "%.*fx", decimals(factor), factor);
    return buf;
}

const char *osw_report_interval(double lo, double hi, char *buf, size_t size)
{
    *buf = '\0';
    if (hi / lo <= MOST_SPAN) /* not of NaN */
        snprintf(buf, size, " [%.*f, %.*f]", decimals(lo), lo, decimals(hi),
                 hi);
    return buf;
}

const char *osw_report_percent(double share, char *buf, size_t size)
{
    double percent = 100 * share;

    if (isnan(share))
        snprintf(buf, size, "n/a");
    else if (percent > 999)
        snprintf(buf, size, ">999 %%");
    else
        snprintf(buf, size, "%.*f %%", percent < 0.95 ? 1 : 0, percent);
    return buf;
}

const char *osw_report_allowed(double share, char *buf, size_t size)
{
    if (isnan(share))
        snprintf(buf, size, "-");
    else if (share == 0)
        snprintf(buf, size, "exact");
    else if (share < 0.01)
        snprintf(buf, size, "<0.01 of allowed");
    else if (share <= 1)
        /* Rounding must not turn a value that is allowed into one that is
         * not, or the reverse.
         */
        snprintf(buf, size, "%.*f of allowed", share < 0.095 ? 2 : 1, share);
    else if (share < 100)
        snprintf(buf, size, "%.*f of allowed", share < 1.095 ? 3 : 1,
                 share < 1.001 ? 1.001 : share);
    else if (share < 1000)
        snprintf(buf, size, "%.0f of allowed", share);
    else
        snprintf(buf, size, ">999 of allowed");
    return buf;
}

const char *osw_report_rate(double giga, const char *unit, char *buf,
                            size_t size)
{
    static const struct {
        double giga;
        char prefix;
    } steps[] = {{1e3, 'T'}, {1, 'G'}, {1e-3, 'M'}, {1e-6, 'k'}};
    size_t i = 0;

    if (isnan(giga)) {
        snprintf(buf, size, "n/a");
        return buf;
    }
    while (i < 3 && giga < steps[i].giga)
        i++;
    snprintf(buf, size, "%.3g %c%s/s", giga / steps[i].giga, steps[i].prefix,
             unit);
    return buf;
}
