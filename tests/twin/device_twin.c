/* tests/twin/device_twin.c - a processor that behaves like a GPU, for tests
 *
 * Memory of its own, shared between processes by handles; a window of the
 * host's; samples in one process.  So all of judge and sandbox that only a GPU
 * would use runs where there is none.  Two plugins: device and judge.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/device/device.h"
#include "worker/judge/judge_ops.h"

enum { MEMORY = 1 << 30, CACHE = 1 << 20 };

/* Filled in when the plugin is loaded, from the processor's tables. */
extern struct osw_device_ops osw_device_twin_ops;
extern struct osw_judge_ops osw_judge_twin_ops;
struct osw_device_ops osw_device_twin_ops;
struct osw_judge_ops osw_judge_twin_ops;

static int twin_open(int index, struct osw_device **out, struct osw_error *err)
{
    if (osw_device_cpu_ops.open(index, out, err) < 0)
        return -1;
    (*out)->ops = &osw_device_twin_ops;
    (*out)->memory_bytes = MEMORY;
    (*out)->cache_bytes = CACHE;
    snprintf((*out)->visible, sizeof((*out)->visible), "TWIN_DEVICE=%d", index);
    return 0;
}

static uint64_t twin_available(struct osw_device *dev)
{
    (void)dev;
    return MEMORY;
}

/* A file that all processes find by its number, as a handle. */
static void name_of(const struct osw_map *map, char name[64])
{
    snprintf(name, 64, "/dev/shm/opsweep-twin-%.40s",
             (const char *)map->handle);
}

static int map_named(struct osw_map *map, int flags, struct osw_error *err)
{
    char name[64];
    int fd;

    name_of(map, name);
    fd = open(name, flags | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", name);
    if ((flags & O_CREAT) && ftruncate(fd, (off_t)map->bytes) < 0) {
        close(fd);
        return osw_fail_sys(err, errno, "cannot size '%s'", name);
    }
    map->base =
        mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map->base == MAP_FAILED) {
        map->base = NULL;
        return osw_fail_sys(err, errno, "cannot map '%s'", name);
    }
    return 0;
}

static int twin_map_create(struct osw_device *dev, uint64_t bytes,
                           struct osw_map *out, struct osw_error *err)
{
    static unsigned n;
    struct osw_map map = {.bytes = bytes, .fd = -1};

    (void)dev;
    if (bytes > MEMORY)
        return osw_fail(err, OSW_NO_MEMORY, "the twin has no %llu bytes",
                        (unsigned long long)bytes);
    snprintf((char *)map.handle, sizeof(map.handle), "%d-%u", (int)getpid(),
             n++);
    if (map_named(&map, O_CREAT | O_EXCL, err) < 0)
        return -1;
    *out = map;
    return 0;
}

static int twin_map_open(struct osw_device *dev, struct osw_map *map,
                         struct osw_error *err)
{
    (void)dev;
    map->foreign = true;
    return map_named(map, 0, err);
}

static void twin_map_destroy(struct osw_device *dev, struct osw_map *map)
{
    char name[64];

    (void)dev;
    if (map->base)
        munmap(map->base, map->bytes);
    if (map->base && !map->foreign && map->handle[0]) {
        name_of(map, name);
        unlink(name);
    }
    *map = (struct osw_map){.fd = -1};
}

static void twin_map_release(struct osw_device *dev, struct osw_map *map,
                             uint64_t from)
{
    (void)dev;
    (void)map;
    (void)from;
}

/* Its cache is small: clearing the processor's would take all the time. */
static enum osw_timer twin_time(struct osw_device *dev,
                                const struct osw_timing *ask, float *samples,
                                int *code)
{
    struct osw_timing warm = *ask;

    warm.cold = false;
    return osw_device_cpu_ops.time(dev, &warm, samples, code);
}

__attribute__((constructor)) static void complete(void)
{
    struct osw_device_ops *ops = &osw_device_twin_ops;

    *ops = osw_device_cpu_ops;
    ops->kind = "twin";
    ops->own_memory = true;
    ops->fresh_rounds = false;
    ops->n_standby = 2;
    ops->n_ahead = 3;
    ops->open = twin_open;
    ops->available = twin_available;
    ops->map_create = twin_map_create;
    ops->map_open = twin_map_open;
    ops->map_destroy = twin_map_destroy;
    ops->map_release = twin_map_release;
    ops->time = twin_time;
    osw_judge_twin_ops = osw_judge_cpu_ops;
    osw_judge_twin_ops.kind = "twin";
}
