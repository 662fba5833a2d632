/* worker/judge/compare/sensitivity_jumps.c - elements that jump, by wide runs
 */
#include <math.h>

#include "worker/judge/compare/sensitivity.h"
#include "worker/judge/memory/heartbeat.h"

/* What jumps, in one of six runs at least, goes as far in a wide one; what is
 * curved goes the square of the units as far, and half a unit at least.
 */
void osw_sensitivity_unbend(const double *base, const double *plus,
                            const double *minus, int64_t n, int bits,
                            const struct osw_sensitivity_sums *sums)
{
    double units = 1.5 * osw_sensitivity_wide(bits);
    double most = units * units / (2 * OSW_SENSITIVITY_PAIRS);

    for (int64_t i = 0; i < n; i++) {
        double p = fabs(plus[i] - base[i]), m = fabs(minus[i] - base[i]);
        double far = fmax(p, m);

        if (sums->bent[i] > 0 && isfinite(p) && isfinite(m) &&
            far * far > most * sums->sq[i])
            sums->bent[i] = 0;
    }
    osw_heartbeat(n);
}

/* Does it answer one of two opposite moves, and where does it go? */
static bool jumps(double base, double plus, double minus, double *to)
{
    double p = fabs(plus - base), m = fabs(minus - base);

    *to = p > m ? plus : minus;
    if (!isfinite(p) || !isfinite(m)) /* one is infinite, or NaN */
        return isfinite(plus) != isfinite(minus) ||
               isfinite(plus) != isfinite(base);
    return fmax(p, m) > OSW_SENSITIVITY_NOISE * fabs(base) &&
           fabs(plus - base + (minus - base)) > (p + m) / 2;
}

int64_t osw_sensitivity_find_jumps(const double *base, const double *plus,
                                   const double *minus, int64_t n, int64_t most,
                                   struct osw_sensitivity_jump *to)
{
    int64_t found = 0;
    double value;

    for (int64_t i = 0; i < n && found < most; i++)
        if (jumps(base[i], plus[i], minus[i], &value))
            to[found++] = (struct osw_sensitivity_jump){i, value};
    osw_heartbeat(n);
    return found;
}
