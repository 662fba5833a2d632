/* worker/device_check.c - can a worker use its device, and which device is it?
 */
#include "worker/device_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/device/device_faults.h"
#include "worker/health.h"

#define GIB       (1024.0 * 1024 * 1024)
#define ANSWER_NS (INT64_C(10) * 1000000000)

enum { SHARED_BYTES = 1 << 20 };

/* Of a GPU: the contexts of two sandboxes, which take half of it each. */
static const uint64_t least_bytes = UINT64_C(1) << 30;

static const char crowd_cure[] =
    "end the other processes on it, or ask the batch system for whole GPUs";

int osw_device_check_unfit(struct osw_device_info *info,
                           const struct osw_error *err)
{
    snprintf(info->health, sizeof(info->health), "%s", err->text);
    return -1;
}

static int fail_fault(const char *text, const char *cure, struct osw_error *err)
{
    return osw_fail(err, OSW_DEVICE, "%s%s%s", text, *cure ? "; cure: " : "",
                    cure);
}

static int refuse(struct osw_device_info *info, struct osw_error *err,
                  const char *text, const char *cure)
{
    fail_fault(text, cure, err);
    return osw_device_check_unfit(info, err);
}

/* --- what it is --- */

static double known(double mhz)
{
    return mhz > 0 ? mhz : NAN;
}

static uint64_t host_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void take_device(struct osw_device_info *info,
                        const struct osw_device *dev)
{
    const struct osw_device_ops *ops = dev->ops;

    snprintf(info->kind, sizeof(info->kind), "%s", ops->kind);
    snprintf(info->name, sizeof(info->name), "%s", dev->name);
    snprintf(info->uuid, sizeof(info->uuid), "%s", dev->uuid);
    snprintf(info->runtime, sizeof(info->runtime), "%s", dev->runtime);
    snprintf(info->capability, sizeof(info->capability), "%s", dev->capability);
    info->index = dev->index;
    info->cores = dev->n_cores;
    info->memory_bytes = ops->own_memory ? dev->memory_bytes : host_bytes();
    info->max_clock_mhz = known(dev->max_clock_mhz);
    info->max_memory_clock_mhz = known(dev->max_memory_clock_mhz);
}

static void take_driver(struct osw_device_info *info, const osw_nvml_t *nvml,
                        const struct osw_nvml_facts *facts)
{
    struct osw_nvml_driver driver;

    osw_nvml_driver(nvml, &driver);
    snprintf(info->driver, sizeof(info->driver), "%s", driver.version);
    if (driver.cuda_version > 0)
        snprintf(info->driver_cuda, sizeof(info->driver_cuda), "%d.%d",
                 driver.cuda_version / 1000, driver.cuda_version % 1000 / 10);
    if (facts->max_sm_mhz > 0)
        info->max_clock_mhz = facts->max_sm_mhz;
    if (facts->max_memory_mhz > 0)
        info->max_memory_clock_mhz = facts->max_memory_mhz;
}

/* --- what is wrong with it --- */

static void add_note(struct osw_device_info *info,
                     const struct osw_device_fault *fault)
{
    size_t used = strlen(info->notes), room = sizeof(info->notes) - used;

    snprintf(info->notes + used, room, "%s%s%s%s", used ? "; " : "",
             fault->text, *fault->cure ? ", cure: " : "", fault->cure);
}

/* The driver's words on it. */
static int consult(struct osw_device_info *info, const struct osw_device *dev,
                   const struct osw_nvml_gpu *gpu, struct osw_error *err)
{
    struct osw_nvml_facts facts;
    struct osw_device_fault faults[OSW_MAX_DEVICE_FAULTS];
    struct osw_telemetry now;
    size_t n;

    osw_nvml_facts(gpu, &facts);
    osw_nvml_sample(gpu, &now);
    if (gpu->handle)
        take_driver(info, gpu->nvml, &facts);
    if (facts.compute_mode < 0)
        facts.compute_mode = dev->compute_mode;
    n = osw_device_faults_of(&facts, &now, dev->uuid, faults);
    for (size_t i = 0; i < n; i++) {
        if (faults[i].weight == OSW_DEVICE_FAULT_UNFIT)
            return refuse(info, err, faults[i].text, faults[i].cure);
        add_note(info, &faults[i]);
    }
    return 0;
}

static const char *environment(const char *name)
{
    return getenv(name);
}

int osw_device_check_begin(const struct osw_device_ops *ops, int index,
                           struct osw_device_info *info, struct osw_error *err)
{
    struct osw_device_fault mps;

    if (!ops->own_memory || !osw_device_faults_mps(environment, &mps))
        return 0;
    snprintf(info->kind, sizeof(info->kind), "%s", ops->kind);
    info->index = index;
    return refuse(info, err, mps.text, mps.cure);
}

int osw_device_check_ask(const struct osw_device *dev,
                         struct osw_device_info *info, osw_nvml_t **nvml,
                         struct osw_nvml_gpu *gpu, struct osw_error *err)
{
    int64_t start = osw_clock_ns();
    int rc = 0;

    *nvml = NULL;
    *gpu = (struct osw_nvml_gpu){NULL, NULL};
    take_device(info, dev);
    if (dev->ops->own_memory) { /* others are shared by processes as they are */
        *nvml = osw_nvml_open(NULL);
        if (*nvml)
            (void)!osw_nvml_find(*nvml, dev->uuid, gpu, NULL);
        rc = consult(info, dev, gpu, err);
    }
    info->check_ns += osw_clock_ns() - start;
    return rc;
}

static int try(struct osw_device *dev, struct osw_device_info *info,
               struct osw_error *err)
{
    struct osw_health health;
    uint64_t left =
        dev->ops->own_memory ? dev->ops->available(dev) : UINT64_MAX;

    if (left < least_bytes) {
        char text[160];

        snprintf(text, sizeof(text),
                 "%.2f of %.1f GiB of its memory are free, at least %.1f GiB "
                 "are needed",
                 (double)left / GIB, (double)dev->memory_bytes / GIB,
                 (double)least_bytes / GIB);
        return refuse(info, err, text, crowd_cure);
    }
    osw_health_try(dev, &health);
    if (!health.share.good)
        return refuse(info, err, health.share.text, osw_health_share_cure);
    if (!health.memory.good)
        return refuse(info, err, health.memory.text,
                      health.tested_bytes ? osw_health_memory_cure
                                          : crowd_cure);
    return 0;
}

int osw_device_check_try(struct osw_device *dev, struct osw_device_info *info,
                         struct osw_error *err)
{
    int64_t start = osw_clock_ns();
    int rc = try(dev, info, err);

    info->check_ns += osw_clock_ns() - start;
    return rc;
}

int osw_device_check_share(struct osw_sandbox *sandbox,
                           struct osw_device_info *info, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    char text[300];
    int64_t start;
    int rc;

    if (osw_sandbox_await(sandbox, OSW_SANDBOX_START_NS) < 0) {
        snprintf(text, sizeof(text), "a sandbox cannot use it: %.220s",
                 sandbox->end.text);
        return refuse(info, err, text, osw_health_sandbox_cure);
    }
    start = osw_clock_ns();
    rc = osw_sandbox_ensure_bytes(sandbox, OSW_ZONE_ARENA, SHARED_BYTES,
                                  ANSWER_NS, &why);
    info->check_ns += osw_clock_ns() - start;
    if (rc == 0)
        return 0;
    snprintf(text, sizeof(text), "a sandbox cannot use its memory: %.200s",
             osw_sandbox_alive(sandbox) ? why.text : sandbox->end.text);
    return refuse(info, err, text, osw_health_share_cure);
}

/* --- is it still --- */

/* Has the driver seen a fault since, or is there one now?  Faults come worst
 * first.
 */
static int ask_again(const struct osw_device *dev, osw_nvml_t *nvml,
                     const struct osw_nvml_gpu *gpu, struct osw_error *err)
{
    struct osw_nvml_facts facts;
    struct osw_device_fault faults[OSW_MAX_DEVICE_FAULTS];
    struct osw_telemetry now;
    uint64_t xid;

    while ((xid = osw_nvml_next_xid(nvml)) != 0)
        if (osw_device_faults_xid(xid, &faults[0]))
            return fail_fault(faults[0].text, faults[0].cure, err);
    osw_nvml_facts(gpu, &facts);
    osw_nvml_sample(gpu, &now);
    if (osw_device_faults_of(&facts, &now, dev->uuid, faults) > 0 &&
        faults[0].weight == OSW_DEVICE_FAULT_UNFIT)
        return fail_fault(faults[0].text, faults[0].cure, err);
    return 0;
}

int osw_device_check_still(struct osw_device *dev, osw_nvml_t *nvml,
                           const struct osw_nvml_gpu *gpu, void *memory,
                           struct osw_error *err)
{
    struct osw_health_part part;

    if (nvml && gpu->handle && ask_again(dev, nvml, gpu, err) < 0)
        return -1;
    osw_health_canary(dev, memory, &part);
    if (part.good)
        return 0;
    return fail_fault(part.text, osw_health_memory_cure, err);
}
