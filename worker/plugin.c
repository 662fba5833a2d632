/* worker/plugin.c - parts that are loaded only where they can run */
#include "worker/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/paths.h"

const void *osw_plugin_symbol(const char *file, const char *symbol, char *why,
                              size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *sandbox = osw_paths_sandbox(&err);
    const char *slash = sandbox ? strrchr(sandbox, '/') : NULL;
    char path[PATH_MAX];
    const void *found;
    void *so;

    if (!slash) {
        snprintf(why, size, "%s", err.text);
        return NULL;
    }
    snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - sandbox), sandbox,
             file);
    so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = so ? dlsym(so, symbol) : NULL;
    if (!found) {
        const char *words = dlerror();

        snprintf(why, size, "%s", words ? words : "unknown reason");
    }
    return found;
}
