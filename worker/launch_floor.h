/* worker/launch_floor.h - how far launches of the same code differ on a device
 *
 * Code and data lie elsewhere in each process, and this changes the time of the
 * same kernel for the life of the process.  No number of samples from one
 * process shows it, so intervals of times have to contain it.
 *
 * Measured once for a model of GPU, its driver and its toolkit: fresh processes
 * each time a short and a long copy within the device's memory.  The result is
 * kept in the build cache as `launches-HASH.json`; remove that file to measure
 * again.
 *
 * Upstream: worker.c, before the device is awake.  Downstream: measure.c, the
 * columns launch_ns and launch_part of /devices.
 */
#ifndef OSW_WORKER_LAUNCH_FLOOR_H
#define OSW_WORKER_LAUNCH_FLOOR_H

#include "common/error.h"
#include "ops/record/device_info.h"
#include "worker/config.h"
#include "worker/device/device.h"

/* For two launches with times of about t, 95 % of the ratios lie within
 * 1 +- (part + ns / t).
 */
struct osw_launch_floor {
    double ns, part; /* NaN: unknown */
};

enum {
    OSW_LAUNCHES = 12, /* processes that are compared, after a first one */
    OSW_LAUNCH_MAX_BYTES = 4096, /* of a file that keeps a floor */
};

/* What identical code differs by in campaigns, on an H100 and on an H200, from
 * 4 us to 130 us a call alike: 95 % of 112 ratios each.
 */
#define OSW_LAUNCH_NS   250.0
#define OSW_LAUNCH_PART 0.003

/* The word after which the sandbox program times copies: see
 * osw_launch_probe().  Its further arguments: kind, index, "NAME=VALUE" for its
 * environment or "".
 */
#define OSW_LAUNCH_WORD "--launch"

/* The floor by n >= 2 medians of the short copy and of the long one, ns, one of
 * each per process.  t * sqrt(2) * s, with Student's t for n - 1 degrees of
 * freedom: the 95 % prediction interval of a difference of two launches; the
 * part is what a long copy scatters by beyond what a short one does.  Never
 * below OSW_LAUNCH_NS, since the driver may place all those processes alike,
 * and 0.05 %, never above 1 ms and 100 %.
 */
struct osw_launch_floor osw_launch_floor_of(const double *short_ns,
                                            const double *long_ns, size_t n);

/* Read what the file of a floor says, text[n], at `now_s` of time().  What was
 * measured beside other work is good for an hour.  Returns 0, or -1 with err
 * set (OSW_BAD_INPUT) and *out untouched.
 */
int osw_launch_floor_parse(const char *text, size_t n, double now_s,
                           struct osw_launch_floor *out,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Set launch_ns and launch_part of *info: from the cache, or else measured,
 * which takes seconds and waits for others that do so.  They stay NaN, with a
 * warning, when the device cannot be timed.  `info` says kind, name and driver
 * already.
 */
void osw_launch_floor_find(const struct osw_worker_config *config,
                           const struct osw_device *dev,
                           struct osw_device_info *info);

/* The floor of a device; where it is NaN, OSW_LAUNCH_NS and OSW_LAUNCH_PART. */
struct osw_launch_floor
osw_launch_floor_known(const struct osw_device_info *info);

/* In the process that is started for it: print the medians of both copies, ns,
 * on one line.  Returns the process's exit code.
 */
int osw_launch_probe(int argc, char **argv);

#endif /* OSW_WORKER_LAUNCH_FLOOR_H */
