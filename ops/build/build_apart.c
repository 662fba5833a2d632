/* ops/build/build_apart.c - what the files of a root have in common, compiled
 * once
 */
#include "ops/build/build_apart.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "ops/build/build.h"

/* Only what an op uses of it is linked. */
static const char words[] = "-c -ffunction-sections -fdata-sections";

static int add_source(struct osw_build_apart *a, const char *folder,
                      const char *name, struct osw_error *err)
{
    int used;

    if (a->n_sources == OSW_BUILD_MAX_APART)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': more than %d files apart_*.c", folder,
                        OSW_BUILD_MAX_APART);
    used = snprintf(a->sources[a->n_sources], OSW_BUILD_MAX_PATH, "%s/%s",
                    folder, name);
    if (used < 0 || used >= OSW_BUILD_MAX_PATH)
        return osw_fail(err, OSW_BAD_INPUT, "'%s/%s': the path is too long",
                        folder, name);
    a->n_sources++;
    return 0;
}

static int find_sources(const char *root, struct osw_build_apart *a,
                        struct osw_error *err)
{
    char folder[OSW_BUILD_MAX_PATH];
    int used = snprintf(folder, sizeof(folder), "%s/shared", root), rc = 0;
    const struct dirent *entry;
    DIR *dir;

    if (used < 0 || (size_t)used >= sizeof(folder))
        return osw_fail(err, OSW_BAD_INPUT, "'%s': the path is too long", root);
    dir = opendir(folder);
    if (!dir && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (!dir)
        return osw_fail(err, OSW_SYSTEM, "cannot read '%s': %s", folder,
                        strerror(errno));
    while (rc == 0 && (entry = readdir(dir)))
        if (fnmatch("apart_*.c", entry->d_name, 0) == 0)
            rc = add_source(a, folder, entry->d_name, err);
    closedir(dir);
    return rc;
}

int osw_build_apart_make(const char *root,
                         const struct osw_build_request *common, uint32_t jobs,
                         struct osw_build_apart *out, struct osw_error *err)
{
    struct osw_build_request requests[OSW_BUILD_MAX_APART];

    out->n = out->n_sources = 0;
    if (find_sources(root, out, err) < 0)
        return -1;
    for (size_t i = 0; i < out->n_sources; i++) {
        requests[i] = *common;
        requests[i].source = out->sources[i];
        requests[i].words = words;
        requests[i].target = NULL;
    }
    if (out->n_sources == 0)
        return 0;
    if (osw_build_get_all(requests, out->results, out->n_sources, jobs, err) <
        0)
        return -1;
    for (size_t i = 0; i < out->n_sources; i++) {
        if (out->results[i].failed)
            return 0;
        out->objects[i] = out->results[i].path;
    }
    out->n = out->n_sources;
    return 0;
}
