/* ops/cases/limits.c - limits of a case where the campaign sets none */
#include "ops/cases/limits.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *profile;
    double work_s;
} work_limits[] = {
    {"smoke", 3},
    {"sweep", 20},
    {"precise", 120},
    {"correct", 20},
};

enum { DEVICE_GIB = 8 /* of a device: none is open yet */ };

double osw_limits_work_s(const char *profile)
{
    for (size_t i = 0; i < sizeof(work_limits) / sizeof(work_limits[0]); i++)
        if (strcmp(work_limits[i].profile, profile) == 0)
            return work_limits[i].work_s;
    return 0;
}

uint64_t osw_limits_bytes(const char *device)
{
    return strcmp(device, "cpu") == 0 ? 0 : (uint64_t)DEVICE_GIB << 30;
}
