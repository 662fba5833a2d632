/* worker/device/device_faults.h - what may be wrong with a GPU, in words with
 * the cure
 *
 * From what the driver says alone, so that nothing has to be tried.  One table
 * for all who ask: a doctor looking at a node, a worker before it begins.
 *
 * Upstream: fit.c, `opsweep doctor`.  Downstream: nvml.h, telemetry.h.
 */
#ifndef OSW_WORKER_DEVICE_ILLS_H
#define OSW_WORKER_DEVICE_ILLS_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/device/nvml.h"

enum osw_device_fault_weight {
    OSW_DEVICE_FAULT_NOTE,  /* to know */
    OSW_DEVICE_FAULT_WARN,  /* cells can be judged on it, worse than it could be
                             */
    OSW_DEVICE_FAULT_UNFIT, /* nothing may be judged on it */
};

struct osw_device_fault {
    enum osw_device_fault_weight weight;
    char text[240];
    char cure[160]; /* "" when there is none */
};

enum { OSW_MAX_DEVICE_FAULTS = 16 };

/* What is wrong with a GPU, worst first, into out[OSW_MAX_DEVICE_FAULTS]; cures
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

/* Does an error that the driver saw (Xid) say that the GPU itself is not sound?
 * Then *out says so.  Most are op code's own (an illegal address is 31) and say
 * nothing about it.
 */
bool osw_device_faults_xid(uint64_t xid, struct osw_device_fault *out);

#endif /* OSW_WORKER_DEVICE_ILLS_H */
