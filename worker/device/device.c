/* worker/device/device.c - the table of devices */
#include "worker/device/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build_cache.h"
#include "worker/plugin.h"

enum { CPU, CUDA, TWIN };

/* Devices of this program, and those that a plugin brings. */
static const struct {
    const char *kind;
    const struct osw_device_ops *ops; /* NULL: in the plugin */
    const char *node;                 /* is there when a device is */
} rows[] = {
    [CPU] = {"cpu", &osw_device_cpu_ops, "/"},
    [CUDA] = {"cuda", NULL, "/dev/nvidiactl"},
    [TWIN] = {"twin", NULL, ""}, /* of the tests: the last one */
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static char missing[512];

const char *osw_device_word(size_t i)
{
    return i < N_ROWS - 1 ? rows[i].kind : NULL;
}

bool osw_device_is_kind(const char *kind)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            return true;
    return false;
}

const struct osw_device_ops *osw_device_find(const char *kind)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        char file[64], symbol[64];

        if (strcmp(rows[i].kind, kind) != 0)
            continue;
        if (rows[i].ops)
            return rows[i].ops;
        snprintf(file, sizeof(file), "libopsweep-%s.so", kind);
        snprintf(symbol, sizeof(symbol), "osw_device_%s_ops", kind);
        return osw_plugin_symbol(file, symbol, missing, sizeof(missing));
    }
    return NULL;
}

int osw_device_open(const struct osw_device_ops *ops, int index,
                    struct osw_device **out, struct osw_error *err)
{
    if (ops->open(index, out, err) < 0)
        return -1;
    if (ops->wake(*out, err) == 0)
        return 0;
    ops->close(*out);
    *out = NULL;
    return -1;
}

void osw_device_keep_cache(const char *path_name, const char *off_name)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[OSW_BUILD_CACHE_MAX_DIR + 16];
    bool there;

    if (getenv(path_name) || getenv(off_name))
        return;
    there = osw_build_cache_dir(path, OSW_BUILD_CACHE_MAX_DIR, &err) == 0;
    if (there) {
        strcat(path, "/driver");
        there = mkdir(path, 0700) == 0 || errno == EEXIST;
    }
    (void)setenv(there ? path_name : off_name, there ? path : "1", 0);
}

static bool may_have(size_t i)
{
    return access(rows[i].node, F_OK) == 0;
}

/* The number of hardware queues, and of those for copies.  Each queue makes it
 * slower to open and to end a context, and the driver does this for one process
 * after the other (tests/bench/gpu/contexts.cu).
 */
void osw_device_set_environment(void)
{
    if (!may_have(CUDA))
        return;
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
    (void)setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
    osw_device_keep_cache("CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE");
}

const char *osw_device_missing(const char *kind)
{
    (void)kind;
    return missing;
}

const char *osw_device_auto(void)
{
    for (size_t i = N_ROWS; i-- > 1;)
        if (may_have(i) && osw_device_find(rows[i].kind))
            return rows[i].kind;
    return rows[0].kind;
}
