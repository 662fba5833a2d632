/* worker/slot_device.h - which cores are near the devices of a node
 *
 * Upstream: devices, the driver, sysfs.  Downstream: worker.c enters its slot.
 */
#ifndef OSW_WORKER_SLOT_DEVICE_H
#define OSW_WORKER_SLOT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "worker/device/device.h"
#include "worker/device/nvml.h"

/* "00000000:1B:00.0", as the driver names a GPU, to the file in which the
 * kernel lists its cores.  -1: it is no such name.
 */
int osw_slot_device_path(const char *pci, char *path, size_t size);

/* Keep the calling thread, and what it starts from now on, to a slot near its
 * device: worker k of n_local has device k.  Where workers share devices, or
 * see only their own, or nothing is known of any, as osw_slot_enter().
 */
void osw_slot_device_enter(const struct osw_device_ops *ops,
                           const osw_nvml_t *nvml, size_t n_devices,
                           int32_t local_index, int32_t n_local,
                           uint32_t n_threads);

#endif /* OSW_WORKER_SLOT_DEVICE_H */
