/* worker/device/telemetry.h - what a GPU says about itself around a cell
 *
 * Upstream: nvml.c takes samples; the judge takes one before and one after
 * the cell, never inside the timed window.  Pure: no clock, no device.
 */
#ifndef OSW_WORKER_DEVICE_TELEMETRY_H
#define OSW_WORKER_DEVICE_TELEMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why clocks are below their maximum: bits as the driver numbers them, and
 * whether a cell that saw one was slowed down by its surroundings.  A software
 * power cap is what large matrix products run into on a healthy GPU.
 */
/* clang-format off */
#define OSW_REASON_MAP(X)                                                      \
    /* bit, NAME, slows, words */                                              \
    X(0x001, IDLE,           false, "idle")                                    \
    X(0x002, APP_CLOCKS,     false, "application clocks")                      \
    X(0x004, SW_POWER_CAP,   false, "power cap")                               \
    X(0x008, HW_SLOWDOWN,    true,  "hardware slowdown")                       \
    X(0x010, SYNC_BOOST,     false, "sync boost")                              \
    X(0x020, SW_THERMAL,     true,  "software thermal slowdown")               \
    X(0x040, HW_THERMAL,     true,  "hardware thermal slowdown")               \
    X(0x080, HW_POWER_BRAKE, true,  "power brake")                             \
    X(0x100, DISPLAY_CLOCKS, false, "display clocks")
/* clang-format on */
enum osw_reason {
#define X(bit, NAME, slows, words) OSW_REASON_##NAME = bit,
    OSW_REASON_MAP(X)
#undef X
};

/* One sample.  Unknown is NaN, or -1 for integers. */
struct osw_telemetry {
    int64_t at_ns; /* of the monotonic clock */
    double sm_mhz;
    double temperature_c;
    double power_w;
    int64_t energy_mj;                   /* since the driver was loaded */
    int64_t reasons;                     /* enum osw_reason */
    int64_t ecc_uncorrected;             /* since the driver was loaded */
    int64_t power_capped_ns, thermal_ns; /* time spent slowed, so far */
    bool lost; /* the GPU fell off its bus, or needs a reset */
};

/* From one sample to a later one: what a cell stores.  Unknown likewise. */
struct osw_telemetry_span {
    double sm_mhz_after;
    double temperature_c; /* the higher */
    double power_w;       /* mean */
    double energy_j;
    int64_t reasons; /* seen at either end, or by a counter in between */
};

/* What happened between two samples of one GPU, `before` the earlier. */
void osw_telemetry_between(const struct osw_telemetry *before,
                           const struct osw_telemetry *after,
                           struct osw_telemetry_span *out);

/* Is a reason among them that spoils timings? */
bool osw_telemetry_slows(int64_t reasons);

/* Format bits as text: "idle, power cap"; "none"; "unknown" for -1.  A text
 * that is too long is cut.  Returns text.
 */
const char *osw_telemetry_reasons(int64_t reasons, char *text, size_t size);

#endif /* OSW_WORKER_DEVICE_TELEMETRY_H */
