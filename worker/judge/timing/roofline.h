/* worker/judge/timing/roofline.h - the least time that a call can take
 *
 * Pure.  Upstream: timing.c knows the case and measures copies.  Downstream:
 * measure.c compares claims with it.  When unsure it is too short, or unknown:
 * only an impossible claim may be refused, not an unlikely one.
 */
#ifndef OSW_WORKER_JUDGE_ROOFLINE_H
#define OSW_WORKER_JUDGE_ROOFLINE_H

#include <stdbool.h>

#include "worker/device/device.h"

/**
 * The assumed maximum of the memory's bytes per second, from the rate of copies
 * (0: unknown).  `peak` is the memory's clock times its width (0: unknown): a
 * claim within it is never refused, so disturbed copies cannot cause a refusal.
 */
double osw_roofline_memory(double copied, double peak);

/**
 * The least time, ns, that `bytes` and `flops` take; NaN: unknown.  Bytes that
 * caches cannot hold pass at the rate `roof`, if the size of the caches is
 * known, and so do the first `cold` of them, which no cache holds; arithmetic
 * is as fast as the device at its highest clock.
 */
double osw_roofline_ns(const struct osw_device *dev, double roof, double bytes,
                       double cold, double flops, enum osw_arithmetic widest);

/** Can a cold call be as fast as that?  light_ns may be NaN. */
bool osw_roofline_allows(double claim_ns, double light_ns);

#endif /* OSW_WORKER_JUDGE_ROOFLINE_H */
