/* worker/sandbox/open_apart.h - a device whose driver's threads write no cache
 *
 * A device is opened before the sandbox knows which file it will load, and
 * Landlock limits single threads.  Threads that a driver starts then must not
 * keep the right to write caches of all files: op code can run in them.
 *
 * Upstream: python.c.  Downstream: isolate.h, worker/device/device.h.
 */
#ifndef OSW_WORKER_SANDBOX_OPEN_APART_H
#define OSW_WORKER_SANDBOX_OPEN_APART_H

#include "worker/device/device.h"

/* As osw_device_open() of the first device, after osw_isolate_begin().  A
 * device with a driver is opened in a thread that has called osw_isolate_end()
 * without caches, so that threads of the driver have what it has.
 */
int osw_open_apart(const struct osw_device_ops *ops, struct osw_device **out,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_SANDBOX_OPEN_APART_H */
