/* worker/device/nvml_async.h - a sample of a GPU's state beside other work
 *
 * A driver takes 3 to 20 ms to answer: a thread waits for it.
 *
 * Upstream: the judge, after timed cells.  Downstream: nvml.h.
 */
#ifndef OSW_WORKER_DEVICE_NVML_ASYNC_H
#define OSW_WORKER_DEVICE_NVML_ASYNC_H

#include <pthread.h>
#include <stdbool.h>

#include "worker/device/nvml.h"

/* Zero to begin with; stays where it is between begin and end. */
struct osw_nvml_async {
    struct osw_nvml_gpu gpu;
    struct osw_telemetry sample; /* the last one that was ended */
    pthread_t thread;
    bool busy;
};

/* Begin to take a sample, or take it where no thread can be had.  One at a
 * time.
 */
void osw_nvml_async_begin(struct osw_nvml_async *a,
                          const struct osw_nvml_gpu *gpu);

/* Wait for it, if one was begun: a->sample is valid then. */
void osw_nvml_async_end(struct osw_nvml_async *a);

#endif /* OSW_WORKER_DEVICE_NVML_ASYNC_H */
