/* ops/build/build_confine.c - which files code and compilers may read */
#include "ops/build/build_confine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/confine.h"
#include "common/paths.h"
#include "ops/build/build_cache.h"

/* Is it really below one of those folders?  They are real paths. */
static bool is_below(const char *source, const char *list)
{
    char real[PATH_MAX];

    if (!list || !realpath(source, real))
        return false;
    while (*list) {
        size_t n = strcspn(list, ":");

        if (n > 0 && strncmp(real, list, n) == 0 && real[n] == '/')
            return true;
        list += n + (list[n] == ':');
    }
    return false;
}

const char *osw_build_confine_word(const char *source)
{
    /* Folders that all may read, among them that of generated sources, can be
     * below the ops' root.
     */
    return is_below(source, getenv(OSW_CONFINE_OPS_VARIABLE)) &&
                   !is_below(source, getenv(OSW_CONFINE_VARIABLE))
               ? OSW_CONFINE_OPS_WORD
               : OSW_CONFINE_WORD;
}

/* --- what opsweep itself needs to be read --- */

static bool is_listed(const char *path, const char *list)
{
    size_t n;

    for (; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if (strlen(path) == n && memcmp(list, path, n) == 0)
            return true;
    }
    return false;
}

void osw_build_confine_add(struct osw_text *list, const char *path)
{
    char real[PATH_MAX];

    if (path && *path && realpath(path, real) && !strchr(real, ':') &&
        strcmp(real, "/") != 0 && !is_listed(real, osw_text_str(list)))
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
    osw_build_confine_add(list, path);
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
        osw_build_confine_add(list, path);
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

void osw_build_confine_add_parts(struct osw_text *list, const char *python)
{
    struct osw_error none = OSW_ERROR_INIT;

    osw_build_confine_add(list, osw_paths_include_dir(&none));
    osw_build_confine_add(list, osw_paths_objects_dir(&none));
    add_folder_of(list, osw_paths_sandbox(&none));
    add_python(list, python);
}

int osw_build_confine_own(const char *python, struct osw_error *err)
{
    struct osw_text list = OSW_TEXT_INIT;
    struct osw_error none = OSW_ERROR_INIT;
    char cache[OSW_BUILD_CACHE_MAX_DIR];
    int rc = 0;

    if (!osw_confine_wanted())
        return 0;
    osw_text_add(&list, getenv(OSW_CONFINE_VARIABLE));
    osw_build_confine_add_parts(&list, python);
    if (osw_build_cache_dir(cache, sizeof(cache), &none) == 0)
        osw_build_confine_add(&list, cache);
    if (!osw_text_str(&list))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for a list of folders");
    else
        setenv(OSW_CONFINE_VARIABLE, list.data, 1);
    setenv("OPSWEEP_NODE_CACHE", "off", 0); /* it would have to be read, too */
    osw_text_free(&list);
    return rc;
}
