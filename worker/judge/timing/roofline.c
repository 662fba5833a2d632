/* worker/judge/timing/roofline.c - the least time that a call can take */
#include "worker/judge/timing/roofline.h"

#include <math.h>

/* Claims below this share of the limit are refused. */
#define LEAST_LIGHT 0.9

double osw_roofline_memory(double copied, double peak)
{
    return fmax(copied, LEAST_LIGHT * peak);
}

double osw_roofline_ns(const struct osw_device *dev, double roof, double bytes,
                       double cold, double flops, enum osw_arithmetic widest)
{
    double cache = (double)dev->cache_bytes, ns = 0;
    double passed = fmax(cold, cache > 0 ? bytes - cache : 0);

    if (roof > 0 && passed > 0)
        ns = passed / roof * 1e9;
    if (flops > 0 && dev->peak_flops[widest] > 0)
        ns = fmax(ns, flops * 1e9 / dev->peak_flops[widest]);
    return ns > 0 ? ns : NAN;
}

bool osw_roofline_allows(double claim_ns, double light_ns)
{
    return !(claim_ns < LEAST_LIGHT * light_ns);
}
