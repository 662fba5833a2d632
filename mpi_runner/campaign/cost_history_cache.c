/* mpi_runner/campaign/cost_history_cache.c - what ops took, kept in the build
 * cache */
#include "mpi_runner/campaign/cost_history_cache.h"

#include <stdio.h>

#include "common/log.h"

osw_cost_history_t *osw_cost_history_cache_open(const struct osw_campaign *c,
                                                char path[OSW_BUILD_MAX_PATH])
{
    char where[64], dir[OSW_BUILD_CACHE_MAX_DIR];
    struct osw_error err = OSW_ERROR_INIT;
    osw_cost_history_t *history = NULL;

    snprintf(where, sizeof(where), "%.30s %.30s", c->device, c->profile);
    path[0] = '\0';
    if (osw_build_cache_open(NULL, dir, &err) == 0)
        osw_build_cache_path(dir, "cost_history", "txt", path);
    history = osw_cost_history_create(where);
    if (history && *path && osw_cost_history_load(history, path, &err) < 0)
        osw_log(OSW_LOG_WARNING, "%s; it is made anew", err.text);
    return history;
}

void osw_cost_history_cache_close(osw_cost_history_t *history, const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (history && *path &&
        osw_cost_history_save(history, path, &err) <
            0) /* others' cache, maybe */
        osw_log(OSW_LOG_DEBUG, "%s", err.text);
    osw_cost_history_destroy(history);
}
