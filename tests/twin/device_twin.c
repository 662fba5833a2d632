/* tests/twin/device_twin.c - a processor that behaves like a GPU, for tests
 *
 * Memory of its own, shared between processes by handles; a window of the
 * host's; samples in one process; a thread with a name.  So all of judge and
 * sandbox that only a GPU would use runs where there is none.  Two plugins:
 * device and judge.
 *
 * TWIN_DEVICES is how many there are (1); they have the UUIDs of the GPUs of
 * tests/fixtures/nvml, so that a driver can speak of them.  TWIN_FAULT says
 * what is wrong: "canary:1" (device 1 computes wrongly), "memory:1"
 * (another user has its memory), "short:1" (little of it is free), "share:1"
 * (not to be shared), "wake:1" (cannot be used), "exclusive:1" (compute mode,
 * where no driver speaks), "same:1" (it has the UUID of device 0), "foreign:1"
 * (a sandbox cannot open its memory), "slow:1" (it takes 2 s to say what it
 * is).  The file that TWIN_FAULT_FILE names has such words for what goes wrong
 * on the way: they count once it is there.
 *
 * TWIN_MIB is how much memory there is for all sandboxes together (no limit).
 * TWIN_HELD is a folder in which op code takes memory: it writes how many MiB
 * into a file named by its process.  They come back LATE_NS after that process
 * has ended, and the file goes.
 *
 * TWIN_OPENS="FILE SKIP FAIL OF": after SKIP sandboxes, of each OF the first
 * FAIL cannot open the device.  Each leaves a byte in FILE, which counts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/device/device.h"
#include "worker/judge/memory/judge_ops.h"

enum { MEMORY = 1 << 30, MAX_HOGS = 64, TIMING = 1 << 20 };
#define LATE_NS INT64_C(150000000)
#define FREE    (UINT64_C(4) << 30) /* more than is thought to be short */

/* Filled in when the plugin is loaded, from the processor's tables. */
extern struct osw_device_ops osw_device_twin_ops;
extern struct osw_judge_ops osw_judge_twin_ops;
struct osw_device_ops osw_device_twin_ops;
struct osw_judge_ops osw_judge_twin_ops;

static bool is_wrong(const char *what, int index)
{
    const char *words = getenv("TWIN_FAULT"), *path = getenv("TWIN_FAULT_FILE");
    char word[32], line[256] = "";
    FILE *f = path ? fopen(path, "re") : NULL;

    if (f && !fgets(line, sizeof(line), f))
        line[0] = '\0';
    if (f)
        fclose(f);
    snprintf(word, sizeof(word), "%s:%d", what, index);
    return (words && strstr(words, word)) || strstr(line, word);
}

static int twin_count(size_t *n, struct osw_error *err)
{
    const char *many = getenv("TWIN_DEVICES");

    (void)err;
    *n = many ? strtoul(many, NULL, 10) : 1;
    return 0;
}

static void complete_device(struct osw_device *dev, int index)
{
    /* A sandbox sees its own device alone, as the first. */
    const char *seen = getenv("TWIN_DEVICE");
    int number = seen ? atoi(seen) : index;

    dev->ops = &osw_device_twin_ops;
    dev->memory_bytes = MEMORY;
    dev->cache_bytes = MEMORY; /* see twin_time */
    dev->compute_mode = is_wrong("exclusive", index) ? 3 : 0;
    snprintf(dev->name, sizeof(dev->name), "Twin");
    snprintf(dev->runtime, sizeof(dev->runtime), "12.8");
    snprintf(dev->capability, sizeof(dev->capability), "9.0");
    snprintf(dev->uuid, sizeof(dev->uuid),
             "GPU-0000000%d-1111-2222-3333-444444444444",
             is_wrong("same", number) ? 0 : number % 10);
    snprintf(dev->visible, sizeof(dev->visible), "TWIN_DEVICE=%d", index);
}

/* Is this a sandbox, and one that cannot open the device? */
static bool is_shut(void)
{
    const char *words = getenv("TWIN_DEVICE") ? getenv("TWIN_OPENS") : NULL;
    long skip, fail, of, n = 0;
    char path[128];
    int fd;

    if (!words ||
        sscanf(words, "%127s %ld %ld %ld", path, &skip, &fail, &of) != 4)
        return false;
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, "x", 1) == 1)
        n = (long)lseek(fd, 0, SEEK_CUR) - 1;
    if (fd >= 0)
        close(fd);
    return n >= skip && (n - skip) % of < fail;
}

static int twin_open(int index, struct osw_device **out, struct osw_error *err)
{
    if (is_shut())
        return osw_fail(err, OSW_DEVICE, "cannot open the twin");
    if (osw_device_cpu_ops.open(index, out, err) < 0)
        return -1;
    if (is_wrong("slow", index))
        osw_clock_sleep_ns(2000000000);
    complete_device(*out, index);
    return 0;
}

/* As NVIDIA's driver names threads, and returns if it may not. */
static bool name_thread(void)
{
    char path[64];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)gettid());
    f = fopen(path, "w");
    if (f)
        fclose(f);
    return f != NULL;
}

static int twin_wake(struct osw_device *dev, struct osw_error *err)
{
    if (is_wrong("wake", dev->index))
        return osw_fail(err, OSW_DEVICE, "cannot use the twin");
    return name_thread()
               ? 0
               : osw_fail(err, OSW_DEVICE, "cannot name the twin's threads");
}

/* Only a judge asks.  Processes that were killed may be waited for later. */
static bool has_ended(int pid)
{
    char path[64], state = 'Z';
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = fopen(path, "re");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    if (f)
        fclose(f);
    return state == 'Z';
}

/* Bytes that op code's process holds, or held a moment ago. */
static uint64_t held_by(const char *path, int i)
{
    static struct {
        int pid;
        int64_t until_ns;
    } ended[MAX_HOGS];
    int pid = atoi(strrchr(path, '/') + 1);
    unsigned long mib = 0;
    FILE *f = fopen(path, "re");

    if (f && fscanf(f, "%lu", &mib) != 1)
        mib = 0;
    if (f)
        fclose(f);
    if (getenv("TWIN_DEVICE") || !has_ended(pid))
        return (uint64_t)mib << 20;
    if (ended[i].pid != pid) {
        ended[i].pid = pid;
        ended[i].until_ns = osw_clock_ns() + LATE_NS;
    }
    if (osw_clock_ns() >= ended[i].until_ns) {
        unlink(path);
        return 0;
    }
    return (uint64_t)mib << 20;
}

static uint64_t held_by_op_code(void)
{
    const char *folder = getenv("TWIN_HELD");
    uint64_t bytes = 0;
    char pattern[256];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/*", folder ? folder : "");
    if (!folder || glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && i < MAX_HOGS; i++)
        bytes += held_by(found.gl_pathv[i], (int)i);
    globfree(&found);
    return bytes;
}

static uint64_t twin_available(struct osw_device *dev)
{
    uint64_t held = held_by_op_code();

    if (is_wrong("memory", dev->index))
        return MEMORY / 4;
    if (is_wrong("short", dev->index))
        return MEMORY;
    return held < FREE ? FREE - held : 0;
}

/* One bit of what it computes is wrong. */
static void twin_fill(struct osw_device *dev, const struct osw_view *v,
                      const struct osw_fill *fill, uint64_t seed,
                      uint32_t tensor, uint32_t rep)
{
    osw_judge_cpu_ops.fill(dev, v, fill, seed, tensor, rep);
    if (dev && is_wrong("canary", dev->index))
        *(unsigned char *)v->data ^= 4;
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

/* Bytes of it that this process has handed out. */
static uint64_t used;

static bool has_room(uint64_t bytes)
{
    const char *mib = getenv("TWIN_MIB");
    uint64_t all = mib ? strtoull(mib, NULL, 10) << 20 : UINT64_MAX;

    return bytes <= MEMORY && used <= all && bytes <= all - used &&
           held_by_op_code() + bytes <= FREE;
}

static int no_room(uint64_t bytes, struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "the twin has no %llu bytes",
                    (unsigned long long)bytes);
}

static int twin_map_private(struct osw_device *dev, uint64_t bytes,
                            struct osw_map *out, struct osw_error *err)
{
    return has_room(bytes)
               ? osw_device_cpu_ops.map_private(dev, bytes, out, err)
               : no_room(bytes, err);
}

static int twin_map_create(struct osw_device *dev, uint64_t bytes,
                           struct osw_map *out, struct osw_error *err)
{
    static unsigned n;
    struct osw_map map = {.bytes = bytes, .fd = -1};

    if (is_wrong("share", dev->index))
        return osw_fail(err, OSW_DEVICE,
                        "memory of the twin cannot be shared between "
                        "processes");
    if (!has_room(bytes))
        return no_room(bytes, err);
    snprintf((char *)map.handle, sizeof(map.handle), "%d-%u", (int)getpid(),
             n++);
    if (map_named(&map, O_CREAT | O_EXCL, err) < 0)
        return -1;
    used += bytes;
    *out = map;
    return 0;
}

static int twin_map_open(struct osw_device *dev, struct osw_map *map,
                         struct osw_error *err)
{
    const char *mine = getenv("TWIN_DEVICE"); /* in a sandbox */

    (void)dev;
    if (mine && is_wrong("foreign", atoi(mine)))
        return osw_fail(err, OSW_DEVICE, "cannot open the twin's memory");
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
        used -= map->bytes;
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

/* Clearing the processor's caches would take all the time.  They may be as
 * large as its memory, and many times faster than the copies that are taken for
 * a roof: what fits into them is not bound by it.
 */
static enum osw_timer twin_time(struct osw_device *dev,
                                const struct osw_timing *ask, float *samples,
                                int *code)
{
    struct osw_timing warm = *ask;

    *code = -1;
    if (!has_room(TIMING))
        return OSW_TIMER_NONE;
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
    ops->count = twin_count;
    ops->open = twin_open;
    ops->wake = twin_wake;
    ops->available = twin_available;
    ops->map_create = twin_map_create;
    ops->map_private = twin_map_private;
    ops->map_open = twin_map_open;
    ops->map_destroy = twin_map_destroy;
    ops->map_release = twin_map_release;
    ops->time = twin_time;
    osw_judge_twin_ops = osw_judge_cpu_ops;
    osw_judge_twin_ops.kind = "twin";
    osw_judge_twin_ops.fill = twin_fill;
}
