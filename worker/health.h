/* worker/health.h - is a device fit to be judged on?
 *
 * Through the tables of device and judge alone, so that every kind of device
 * is checked the same way: memory keeps what it was given, copies run at a
 * rate, another process sees the same memory, the sandbox program starts.
 *
 * Upstream: `opsweep doctor`; fit.c, before a worker begins.
 */
#ifndef OSW_WORKER_HEALTH_H
#define OSW_WORKER_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "worker/device/device.h"

/* One thing that was tried, in words: what was found, or what went wrong. */
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
 * size); quick: fewer patterns.  Blocks, for as long as a broken driver likes.
 *
 * To be called before this process has used a device: it forks, and a process
 * that has is unfit to.  Returns 0 with *out filled, whatever was found; or -1
 * with err set when the device cannot be opened:
 *   OSW_DEVICE     it does not work
 *   OSW_BAD_INPUT  there is no such device, or no judge for its kind
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_health_check(const struct osw_device_ops *ops, int index,
                     uint64_t budget, bool quick, struct osw_health *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The quick part, for a device that is open and about to be used: memory that
 * can be shared is there, keeps a pattern, and a short computation gives the
 * answer that is known.  Fills memory, share and tested_bytes of *out, 0 where
 * no memory was left; milliseconds.
 */
void osw_health_try(struct osw_device *dev, struct osw_health *out);

enum { OSW_CANARY_BYTES = 1 << 20 };

/* A part of that, for between cells, in OSW_CANARY_BYTES of the device's memory
 * that are the caller's: does it still compute what every sound one does?
 * Below a millisecond.
 */
void osw_health_canary(struct osw_device *dev, void *memory,
                       struct osw_health_part *out);

/* What helps when a part is bad. */
extern const char osw_health_memory_cure[], osw_health_share_cure[],
    osw_health_sandbox_cure[];

#endif /* OSW_WORKER_HEALTH_H */
