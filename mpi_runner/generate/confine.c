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
#include "worker/isolation.h"

static void add(struct osw_text *list, const char *path)
{
    char real[PATH_MAX];

    if (path && *path && realpath(path, real) && !strchr(real, ':') &&
        strcmp(real, "/") != 0)
        osw_text_printf(list, "%s%s", list->used ? ":" : "", real);
}

/* The folder that a file is in. */
static void add_folder_of(struct osw_text *list, const char *file)
{
    char path[PATH_MAX], *slash;

    snprintf(path, sizeof(path), "%s", file ? file : "");
    slash = strrchr(path, '/');
    if (!slash)
        return;
    *slash = '\0';
    add(list, path);
}

/* Of bin/python3: what an interpreter or a venv has beside bin.  Not the folder
 * itself, which may be a home.
 */
static void add_prefix(struct osw_text *list, const char *program)
{
    static const char *const parts[] = {"bin", "lib", "lib64", "include",
                                        "pyvenv.cfg"};
    char prefix[PATH_MAX], path[PATH_MAX + 16], *slash;

    snprintf(prefix, sizeof(prefix), "%s", program);
    for (int up = 0; up < 2; up++) {
        slash = strrchr(prefix, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", prefix, parts[i]);
        add(list, path);
    }
}

static void add_python(struct osw_text *list, const char *wanted)
{
    struct osw_error none = OSW_ERROR_INIT;
    const char *python = osw_paths_python(wanted, &none);
    char real[PATH_MAX];

    if (!python)
        return;
    add_prefix(list, python);
    if (realpath(python, real))
        add_prefix(list, real);
}

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
    add(list, real);
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
    add(&list, osw_campaign_root(&tasks->campaign));
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
    struct osw_error none = OSW_ERROR_INIT;
    char path[PATH_MAX];
    int rc;

    if (given && *given)
        osw_text_add(&list, given);
    snprintf(path, sizeof(path), "%s/" OSW_WAVE_ROOT, osw_asked_folder(asked));
    add(&list, path);
    add(&list, osw_paths_include_dir(&none));
    add(&list, osw_paths_objects_dir(&none));
    add_folder_of(&list, osw_paths_sandbox(&none));
    add_python(&list, tasks->campaign.python);
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
