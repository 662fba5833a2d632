/* mpi_runner/generate/confine.c - what generated code may read */
#include "mpi_runner/generate/confine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/confine.h"
#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/generate/wave.h"
#include "ops/build/build_confine.h"
#include "worker/isolation.h"

/* Attempts must not meet in a cache that others use, too. */
static int choose_cache(const osw_asked_t *asked, struct osw_text *list,
                        struct osw_error *err)
{
    const char *given = getenv("OPSWEEP_CACHE");
    char path[PATH_MAX], real[PATH_MAX];

    snprintf(path, sizeof(path), "%s/.cache", osw_asked_folder(asked));
    if (given && *given)
        snprintf(path, sizeof(path), "%s", given);
    if (osw_paths_make_folders(path, 0700, err) < 0)
        return -1;
    if (!realpath(path, real))
        return osw_fail(err, OSW_SYSTEM, "cannot find '%s'", path);
    setenv("OPSWEEP_CACHE", real, 1);
    setenv("OPSWEEP_NODE_CACHE", "off", 1);
    osw_build_confine_add(list, real);
    return 0;
}

/* The op's files: its cases must not come back by way of a compiler. */
static int allow_ops(const struct osw_tasks *tasks, struct osw_error *err)
{
    struct osw_text list = OSW_TEXT_INIT;
    const char *given = getenv(OSW_CONFINE_OPS_VARIABLE);
    int rc = 0;

    if (given && *given)
        osw_text_add(&list, given);
    osw_build_confine_add(&list, osw_campaign_root(&tasks->campaign));
    if (!osw_text_str(&list))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a list of folders");
    else
        setenv(OSW_CONFINE_OPS_VARIABLE, list.data, 1);
    osw_text_free(&list);
    return rc;
}

int osw_generate_confine(const osw_asked_t *asked,
                         const struct osw_tasks *tasks, struct osw_error *err)
{
    struct osw_text list = OSW_TEXT_INIT;
    const char *given = getenv(OSW_CONFINE_VARIABLE);
    char path[PATH_MAX];
    int rc;

    if (given && *given)
        osw_text_add(&list, given);
    snprintf(path, sizeof(path), "%s/" OSW_WAVE_ROOT, osw_asked_folder(asked));
    osw_build_confine_add(&list, path);
    osw_build_confine_add_parts(&list, tasks->campaign.python);
    rc = allow_ops(tasks, err) < 0 ? -1 : choose_cache(asked, &list, err);
    if (rc == 0 && !osw_text_str(&list))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a list of folders");
    if (rc == 0)
        setenv(OSW_CONFINE_VARIABLE, list.data, 1);
    /* Sanitizers turn it off unless it is said. */
    setenv("OPSWEEP_ISOLATION", "full", 0);
    osw_text_free(&list);
    return rc;
}

const char *osw_generate_confine_lacks(void)
{
    if (osw_isolation_landlock() == 0)
        return "this kernel has no Landlock";
    if (osw_isolation_level(getenv("OPSWEEP_ISOLATION")) != OSW_ISOLATION_FULL)
        return "OPSWEEP_ISOLATION turns it off";
    return NULL;
}

bool osw_generate_confine_lets_tools(const char *device)
{
    return strcmp(device, "cuda") != 0 ||
           osw_isolation_level(getenv("OPSWEEP_ISOLATION")) ==
               OSW_ISOLATION_OFF;
}
