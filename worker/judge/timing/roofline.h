/* worker/judge/timing/roofline.h - the least time that a call can take
 *
 * Pure.  Upstream: timing.c knows the case and measures copies.  Downstream:
 * measure.c holds claims against it.  In doubt it is too short, or unknown: a
 * claim that is refused must be impossible, not just unlikely.
 */
#ifndef OSW_WORKER_JUDGE_ROOFLINE_H
#define OSW_WORKER_JUDGE_ROOFLINE_H

#include <stdbool.h>

#include "worker/device/device.h"

/**
 * Bytes per second that memory is taken to move at the most, by what copies
 * reached (0: unknown).  Whatever disturbed these, no claim is refused that
 * keeps to `peak`, the memory's clock times its width (0: unknown).
 */
double osw_roofline_memory(double copied, double peak);

/**
 * The least time, ns, that `bytes` and `flops` take; NaN: nobody knows.  Bytes
 * that caches cannot hold pass `roof`, where it is known how much these hold;
 * no arithmetic is faster than the device's own at its highest clock.
 */
double osw_roofline_ns(const struct osw_device *dev, double roof, double bytes,
                       double flops, enum osw_arithmetic widest);

/** Can a cold call take so long?  light_ns may be NaN. */
bool osw_roofline_allows(double claim_ns, double light_ns);

#endif /* OSW_WORKER_JUDGE_ROOFLINE_H */
