/* worker/health.h - does a device work correctly?
 *
 * Uses only the tables of device and judge, so that every kind of device is
 * checked the same way: memory keeps its contents, copies run at a plausible
 * rate, another process sees the same memory, the sandbox program starts.
 *
 * Upstream: `opsweep doctor`; device_check.c, before a worker begins.
 */
#ifndef OSW_WORKER_HEALTH_H
#define OSW_WORKER_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "worker/device/device.h"

/* One check, as a message: what was found, or what went wrong. */
struct osw_health_part {
    bool good;
    char text[240];
};

struct osw_health {
    size_t n_devices; /* of the kind; set whatever else happens */
    char name[128];   /* of the device */
    int64_t open_ns;
    struct osw_health_part memory, share, sandbox;
    uint64_t tested_bytes;
    double copy_bytes_per_s; /* read and written; 0: not measured */
};

/* Check device `index` with up to `budget` bytes of its memory (0: a sensible
 * size); quick: fewer patterns.  Blocks, without a limit if the driver hangs.
 *
 * Call it before this process has used a device: it forks, and CUDA does not
 * work in a child forked after the first use.  Returns 0 with *out filled,
 * whatever was found; or -1 with err set when the device cannot be opened:
 *   OSW_DEVICE     it does not work
 *   OSW_BAD_INPUT  there is no such device, or no judge for its kind
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_health_check(const struct osw_device_ops *ops, int index,
                     uint64_t budget, bool quick, struct osw_health *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The quick part, for an open device: shared memory can be had and keeps a
 * pattern, and a short computation gives its known answer.  Fills memory, share
 * and tested_bytes of *out (0 where no memory was left).  Takes milliseconds.
 */
void osw_health_try(struct osw_device *dev, struct osw_health *out);

enum { OSW_CANARY_BYTES = 1 << 20 };

/* A short check between cells, in OSW_CANARY_BYTES of the device's memory that
 * are the caller's: does a computation still give its known answer?  Takes less
 * than a millisecond.
 */
void osw_health_canary(struct osw_device *dev, void *memory,
                       struct osw_health_part *out);

/* What to do when a part is bad. */
extern const char osw_health_memory_cure[], osw_health_share_cure[],
    osw_health_sandbox_cure[];

#endif /* OSW_WORKER_HEALTH_H */
