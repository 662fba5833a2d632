/* worker/slot_device.c - which cores are near the devices of a node */
#include "worker/slot_device.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/slot.h"

int osw_slot_device_path(const char *pci, char *path, size_t size)
{
    unsigned domain, bus, device, function;
    int used = 0, n;

    if (sscanf(pci, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function,
               &used) != 4 ||
        pci[used])
        return -1;
    n = snprintf(path, size,
                 "/sys/bus/pci/devices/%04x:%02x:%02x.%x/local_cpulist", domain,
                 bus, device, function);
    return n > 0 && (size_t)n < size ? 0 : -1;
}

static bool read_cores(const char *path, cpu_set_t *out)
{
    FILE *f = fopen(path, "re");
    char list[4096] = "";
    bool known =
        f && fgets(list, sizeof(list), f) && osw_slot_read_list(list, out);

    if (f)
        fclose(f);
    return known;
}

/* Of device `index`; *out stays empty where that is not known. */
static bool find_near(const struct osw_device_ops *ops, const osw_nvml_t *nvml,
                      size_t index, cpu_set_t *out)
{
    struct osw_nvml_gpu gpu;
    struct osw_device *dev = NULL;
    char pci[OSW_NVML_PCI], path[96];
    bool known = false;

    if (ops->open((int)index, &dev, NULL) < 0)
        return false;
    if (dev->uuid[0] && osw_nvml_find(nvml, dev->uuid, &gpu, NULL) == 0) {
        osw_nvml_pci(&gpu, pci);
        known = osw_slot_device_path(pci, path, sizeof(path)) == 0 &&
                read_cores(path, out);
    }
    ops->close(dev);
    return known;
}

void osw_slot_device_enter(const struct osw_device_ops *ops,
                           const osw_nvml_t *nvml, size_t n_devices,
                           int32_t local_index, int32_t n_local,
                           uint32_t n_threads)
{
    /* A rank that sees fewer devices than there are workers does not know where
     * theirs are, and would take their cores.
     */
    bool sees_all = nvml && n_local > 0 && n_devices >= (size_t)n_local;
    cpu_set_t *near = sees_all ? calloc((size_t)n_local, sizeof(*near)) : NULL;
    bool known = false;

    for (int32_t k = 0; near && k < n_local; k++)
        known |= find_near(ops, nvml, (size_t)k, &near[k]);
    if (known)
        osw_slot_enter_near(near, local_index, n_local, n_threads);
    else
        osw_slot_enter(local_index, n_local, n_threads);
    free(near);
}
