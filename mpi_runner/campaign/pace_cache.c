/* mpi_runner/campaign/pace_cache.c - what ops took, kept in the build cache */
#include "mpi_runner/campaign/pace_cache.h"

#include <stdio.h>

#include "common/log.h"

osw_pace_t *osw_pace_cache_open(const struct osw_campaign *c,
                                char path[OSW_BUILD_MAX_PATH])
{
    char where[64], dir[OSW_BUILD_CACHE_MAX_DIR];
    struct osw_error err = OSW_ERROR_INIT;
    osw_pace_t *pace = NULL;

    snprintf(where, sizeof(where), "%.30s %.30s", c->device, c->profile);
    if (osw_build_cache_open(NULL, dir, &err) == 0) {
        osw_build_cache_path(dir, "pace", "txt", path);
        pace = osw_pace_create(where);
    }
    if (pace && osw_pace_load(pace, path, &err) < 0)
        osw_log(OSW_LOG_WARNING, "%s; it is made anew", err.text);
    return pace;
}

void osw_pace_cache_close(osw_pace_t *pace, const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (pace && osw_pace_save(pace, path, &err) < 0) /* others' cache, maybe */
        osw_log(OSW_LOG_DEBUG, "%s", err.text);
    osw_pace_destroy(pace);
}
