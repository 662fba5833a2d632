/* worker/device/device_faults.h - faults that a GPU may have, as messages, with
 * the cure
 *
 * Uses only the driver's reports: no check runs on the GPU.  One table for all
 * callers: `opsweep doctor`, and a worker before it begins.
 *
 * Upstream: device_check.c, `opsweep doctor`.  Downstream: nvml.h, telemetry.h.
 */
#ifndef OSW_WORKER_DEVICE_DEVICE_FAULTS_H
#define OSW_WORKER_DEVICE_DEVICE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/device/nvml.h"

enum osw_device_fault_weight {
    OSW_DEVICE_FAULT_NOTE,  /* to know */
    OSW_DEVICE_FAULT_WARN,  /* it can judge cells, not as well as it should */
    OSW_DEVICE_FAULT_UNFIT, /* nothing may be judged on it */
};

struct osw_device_fault {
    enum osw_device_fault_weight weight;
    char text[240];
    char cure[160]; /* "" when there is none */
};

enum { OSW_MAX_DEVICE_FAULTS = 16 };

/* Write the faults of a GPU, worst first, to out[OSW_MAX_DEVICE_FAULTS]; cures
 * call it `id`, its number or UUID as nvidia-smi takes them.  Returns how many.
 * Pure.
 */
size_t osw_device_faults_of(const struct osw_nvml_facts *facts,
                            const struct osw_telemetry *now, const char *id,
                            struct osw_device_fault *out);

/* Does a daemon of MPS listen, where the environment (`get` is getenv) or the
 * default says?  Then *out says so.
 */
bool osw_device_faults_mps(const char *(*get)(const char *name),
                           struct osw_device_fault *out);

/* Is that error of the driver (Xid) a fault of the GPU itself?  Then *out says
 * so.  Most are faults of op code (an illegal address is 31) and say nothing
 * about the GPU.
 */
bool osw_device_faults_xid(uint64_t xid, struct osw_device_fault *out);

#endif /* OSW_WORKER_DEVICE_DEVICE_FAULTS_H */
