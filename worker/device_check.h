/* worker/device_check.h - can a worker use its device, and which device is it?
 *
 * Those checks of `opsweep doctor` for one device that take only milliseconds
 * and find faults that spoil verdicts: a compute mode that excludes processes,
 * MPS, memory that cannot be shared, too little or failing memory, wrong
 * arithmetic.
 *
 * Upstream: worker.c.  Downstream: health.h, device/device_faults.h.
 */
#ifndef OSW_WORKER_DEVICE_CHECK_H
#define OSW_WORKER_DEVICE_CHECK_H

#include "common/error.h"
#include "ops/record/device_info.h"
#include "worker/device/device.h"
#include "worker/device/nvml.h"
#include "worker/judge/process/sandbox.h"

/* Before devices are counted, which makes this process a client of MPS where
 * that is active: may number `index` of them be used?
 *
 * Returns 0, or -1 with err and info->health set (OSW_DEVICE): it must not be
 * used, with the cure.  The others likewise.
 */
int osw_device_check_begin(const struct osw_device_ops *ops, int index,
                           struct osw_device_info *info,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Before a device is woken: fill in *info by what can be asked, and find the
 * driver's account of it.  *nvml is the caller's to close, NULL where
 * there is none; gpu->handle is NULL where that knows no such GPU.
 */
int osw_device_check_ask(const struct osw_device *dev,
                         struct osw_device_info *info, osw_nvml_t **nvml,
                         struct osw_nvml_gpu *gpu,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Once it is awake: use it. */
int osw_device_check_try(struct osw_device *dev, struct osw_device_info *info,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Once its first sandbox was started, which is waited for: that can use memory
 * of the device, too.
 */
int osw_device_check_share(struct osw_sandbox *sandbox,
                           struct osw_device_info *info,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Between cells, for a device that passed at the start: does the driver report
 * an error (nvml, gpu: from osw_device_check_ask; errors are kept since
 * osw_nvml_watch), and does a computation still give its known answer, in
 * `memory` (see osw_health_canary)?  Returns 0, or -1 with err set
 * (OSW_DEVICE, with the cure): it must not be used any more.
 */
int osw_device_check_still(struct osw_device *dev, osw_nvml_t *nvml,
                           const struct osw_nvml_gpu *gpu, void *memory,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Nothing can be judged on it: err, which is set, becomes its health.  -1. */
int osw_device_check_unfit(struct osw_device_info *info,
                           const struct osw_error *err);

#endif /* OSW_WORKER_DEVICE_CHECK_H */
