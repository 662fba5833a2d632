/* worker/device/device.c - the table of devices */
#include "worker/device/device.h"

#include <string.h>

static const struct osw_device_ops *const backends[] = {
    &osw_device_cpu_ops,
};

#define N_BACKENDS (sizeof(backends) / sizeof(backends[0]))

const struct osw_device_ops *osw_device_find(const char *kind)
{
    for (size_t i = 0; i < N_BACKENDS; i++)
        if (strcmp(backends[i]->kind, kind) == 0)
            return backends[i];
    return NULL;
}

const char *osw_device_auto(void)
{
    for (size_t i = N_BACKENDS; i-- > 1;) {
        size_t n = 0;

        if (backends[i]->count(&n, NULL) == 0 && n > 0)
            return backends[i]->kind;
    }
    return backends[0]->kind;
}
