/* worker/device/device_cpu.c - host memory and clock as a device */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/device/device.h"
#include "worker/edits.h"
#include "worker/hash.h"
#include "worker/stamps.h"

enum { SCRUB_FACTOR = 2, SCRUB_FALLBACK_BYTES = 64 * 1024 * 1024 };

struct cpu {
    struct osw_device base;
    uint64_t hash_sums[OSW_HASH_SLOTS];
    uint32_t hash_slot; /* in use */
    unsigned char *scrub;
    size_t scrub_bytes;
    unsigned char sink; /* keeps the scrubbing reads alive */
};

static int cpu_count(size_t *n, struct osw_error *err)
{
    (void)err;
    *n = 1;
    return 0;
}

/* "model name" of the first processor; "cpu" where the kernel has none. */
static void read_name(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];

    snprintf(name, size, "cpu");
    while (f && fgets(line, sizeof(line), f)) {
        char *at = strstr(line, ": ");

        if (strncmp(line, "model name", 10) != 0 || !at)
            continue;
        at[strcspn(at, "\n")] = '\0';
        snprintf(name, size, "%s", at + 2);
        break;
    }
    if (f)
        fclose(f);
}

/* The kernel knows, where it may set the clock. */
static double read_max_mhz(void)
{
    FILE *f =
        fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
    double khz = 0;

    if (f && fscanf(f, "%lf", &khz) != 1)
        khz = 0;
    if (f)
        fclose(f);
    return khz / 1e3;
}

static int cpu_open(int index, struct osw_device **out, struct osw_error *err)
{
    struct cpu *cpu = calloc(1, sizeof(*cpu));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (!cpu)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a device");
    cpu->base.ops = &osw_device_cpu_ops;
    cpu->base.index = index;
    cpu->base.n_cores = cores > 0 ? (uint32_t)cores : 0;
    cpu->base.max_clock_mhz = read_max_mhz();
    read_name(cpu->base.name, sizeof(cpu->base.name));
    *out = &cpu->base;
    return 0;
}

static int cpu_wake(struct osw_device *dev, struct osw_error *err)
{
    (void)dev;
    (void)err;
    return 0;
}

static void cpu_close(struct osw_device *dev)
{
    struct cpu *cpu = (struct cpu *)dev;

    if (!cpu)
        return;
    if (cpu->scrub)
        munmap(cpu->scrub, cpu->scrub_bytes);
    free(cpu);
}

/* More is mapped than is ever used: it is the limit that has no room. */
static int cannot_map(uint64_t bytes, const char *what, struct osw_error *err)
{
    struct rlimit space;
    int e = errno;

    if (e == ENOMEM && getrlimit(RLIMIT_AS, &space) == 0 &&
        space.rlim_cur != RLIM_INFINITY)
        return osw_fail(err, OSW_SYSTEM,
                        "cannot map %s%llu bytes, address space is limited to "
                        "%llu: ulimit -v unlimited",
                        what, (unsigned long long)bytes,
                        (unsigned long long)space.rlim_cur);
    return osw_fail_sys(err, e, "cannot map %s%llu bytes", what,
                        (unsigned long long)bytes);
}

static int map_fd(struct osw_map *map, struct osw_error *err)
{
    void *p = mmap(NULL, map->bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE, map->fd, 0);

    if (p == MAP_FAILED)
        return cannot_map(map->bytes, "an arena of ", err);
    map->base = p;
    return 0;
}

/* Sealed at its full size: a sandbox that could shrink it could kill the
 * judge by SIGBUS.
 */
static int cpu_map_create(struct osw_device *dev, uint64_t bytes,
                          struct osw_map *out, struct osw_error *err)
{
    struct osw_map map = {.bytes = bytes, .fd = -1};

    (void)dev;
    map.fd = memfd_create("opsweep-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (map.fd < 0)
        return osw_fail_sys(err, errno, "cannot create an arena");
    if (ftruncate(map.fd, (off_t)bytes) < 0 ||
        fcntl(map.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) <
            0) {
        osw_fail_sys(err, errno, "cannot size an arena of %llu bytes",
                     (unsigned long long)bytes);
        close(map.fd);
        return -1;
    }
    if (map_fd(&map, err) < 0) {
        close(map.fd);
        return -1;
    }
    *out = map;
    return 0;
}

static int cpu_map_private(struct osw_device *dev, uint64_t bytes,
                           struct osw_map *out, struct osw_error *err)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    (void)dev;
    if (p == MAP_FAILED)
        return cannot_map(bytes, "", err);
    *out = (struct osw_map){.base = p, .bytes = bytes, .fd = -1};
    return 0;
}

static int cpu_map_open(struct osw_device *dev, struct osw_map *map,
                        struct osw_error *err)
{
    int rc;

    (void)dev;
    rc = map_fd(map, err);
    close(map->fd); /* op code gets no descriptor of its arena */
    map->fd = -1;
    return rc;
}

static void cpu_map_release(struct osw_device *dev, struct osw_map *map,
                            uint64_t from)
{
    (void)dev;
    if (!map->base || from >= map->bytes)
        return;
    if (map->fd >= 0)
        (void)fallocate(map->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)from, (off_t)(map->bytes - from));
    else
        (void)madvise((char *)map->base + from, map->bytes - from,
                      MADV_DONTNEED);
}

static void cpu_map_destroy(struct osw_device *dev, struct osw_map *map)
{
    (void)dev;
    if (map->base)
        munmap(map->base, map->bytes);
    if (map->fd >= 0)
        close(map->fd);
    *map = (struct osw_map){.fd = -1};
}

static uint64_t cpu_available(struct osw_device *dev)
{
    (void)dev;
    return UINT64_MAX; /* pages cost when they are touched */
}

static int cpu_pin(struct osw_device *dev, void *base, uint64_t bytes,
                   struct osw_error *err)
{
    (void)dev;
    (void)base;
    (void)bytes;
    (void)err;
    return 0;
}

static void cpu_copy(struct osw_device *dev, void *to, const void *from,
                     uint64_t bytes)
{
    (void)dev;
    if (bytes > 0)
        memcpy(to, from, bytes);
}

static void cpu_set(struct osw_device *dev, void *to, int byte, uint64_t bytes)
{
    (void)dev;
    if (bytes > 0)
        memset(to, byte, bytes);
}

static void cpu_hash_begin(struct osw_device *dev, uint32_t slot)
{
    struct cpu *cpu = (struct cpu *)dev;

    cpu->hash_slot = slot % OSW_HASH_SLOTS;
    cpu->hash_sums[cpu->hash_slot] = 0;
}

static void cpu_hash(struct osw_device *dev, const void *data, uint64_t bytes,
                     uint64_t seed)
{
    struct cpu *cpu = (struct cpu *)dev;

    cpu->hash_sums[cpu->hash_slot] += osw_hash_bytes(data, (size_t)bytes, seed);
}

static void cpu_hash_copy(struct osw_device *dev, const void *data,
                          uint64_t bytes, uint64_t seed, void *to,
                          const void *from, uint64_t n)
{
    cpu_hash(dev, data, bytes, seed);
    dev->ops->copy(dev, to, from, n);
}

static uint64_t cpu_hash_sum(struct osw_device *dev, uint32_t slot)
{
    return ((struct cpu *)dev)->hash_sums[slot % OSW_HASH_SLOTS];
}

static int cpu_error(struct osw_device *dev, struct osw_error *err)
{
    (void)dev;
    (void)err;
    return 0;
}

static int cpu_sync(struct osw_device *dev, bool *lost, struct osw_error *err)
{
    (void)dev;

    (void)err;
    *lost = false;
    return 0;
}

/* --- timing --- */

/* Read more than the last-level cache holds: its lines become clean ones of
 * ours.  Reading, since written lines would charge the op their write-back.
 */
static bool scrub(struct cpu *cpu)
{
    unsigned char sum = 0;

    if (!cpu->scrub) {
        long llc = sysconf(_SC_LEVEL3_CACHE_SIZE);
        size_t bytes =
            llc > 0 ? (size_t)llc * SCRUB_FACTOR : (size_t)SCRUB_FALLBACK_BYTES;
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
            return false;
        memset(p, 1, bytes);
        cpu->scrub = p;
        cpu->scrub_bytes = bytes;
    }
    for (size_t i = 0; i < cpu->scrub_bytes; i += 64)
        sum = (unsigned char)(sum + cpu->scrub[i]);
    cpu->sink = sum;
    return true;
}

/* Before call number `call` of the request. */
static void edit(const struct osw_timing *ask, uint64_t call,
                 struct osw_edits_undo *undo)
{
    if (!ask->edits)
        return;
    osw_edits_undo(ask->base, undo);
    osw_edits_apply(ask->edits, call, ask->base, undo);
}

/* Calls of one sample.  Where there are several, edits lie between them, and so
 * in their time: some 15 ns a call.
 */
static int call_all(const struct osw_timing *ask, uint64_t from,
                    struct osw_edits_undo *undo)
{
    int code = 0;

    for (uint32_t k = 0; k < ask->n_inner && code == 0; k++) {
        if (ask->n_inner > 1)
            edit(ask, from + k, undo);
        code = ask->call(ask->arg);
    }
    return code;
}

/* Calls return when their work is done: the clock around them is enough. */
static enum osw_timer cpu_time(struct osw_device *dev,
                               const struct osw_timing *ask, float *samples,
                               int *code)
{
    uint32_t n_inner = ask->n_inner ? ask->n_inner : 1;
    struct osw_edits_undo undo = {.n = 0};

    *code = 0;
    for (uint32_t i = 0; i < ask->n_samples && *code == 0; i++) {
        int64_t t0;

        ask->before(ask->arg);
        if (n_inner == 1)
            edit(ask, i, &undo);
        if (ask->cold && !scrub((struct cpu *)dev)) {
            *code = -1;
            break;
        }
        (void)osw_clock_ns(); /* the clock is warm: cold, it takes 1 us */
        if (ask->stamps)
            osw_stamps_begin(ask->stamps, i + 1, ask->cold);
        t0 = osw_clock_ns();
        *code = call_all(ask, (uint64_t)i * n_inner, &undo);
        samples[i] = (float)((double)(osw_clock_ns() - t0) / n_inner);
        if (ask->stamps)
            osw_stamps_end_call(ask->stamps, i + 1);
    }
    if (*code == 0 && ask->after)
        *code = ask->after(ask->arg);
    osw_edits_undo(ask->base, &undo);
    return *code == 0 ? OSW_TIMER_CLOCK : OSW_TIMER_NONE;
}

/* What two readings of the clock are apart. */
static void cpu_floors(struct osw_device *dev, double *empty_ns,
                       double *null_ns)
{
    int64_t least = INT64_MAX;

    (void)dev;
    for (int i = 0; i < 1000; i++) {
        int64_t t0 = osw_clock_ns(), ns = osw_clock_ns() - t0;

        least = ns < least ? ns : least;
    }
    *empty_ns = *null_ns = (double)least;
}

static void *cpu_stream(struct osw_device *dev)
{
    (void)dev;
    return NULL;
}

const struct osw_device_ops osw_device_cpu_ops = {
    .kind = "cpu",
    .dl_type = OSW_CPU,
    .count = cpu_count,
    .fresh_rounds = true,
    .n_standby = 1,
    .n_ahead = 1,
    .open = cpu_open,
    .wake = cpu_wake,
    .close = cpu_close,
    .available = cpu_available,
    .map_create = cpu_map_create,
    .map_private = cpu_map_private,
    .map_open = cpu_map_open,
    .map_release = cpu_map_release,
    .map_destroy = cpu_map_destroy,
    .pin = cpu_pin,
    .copy = cpu_copy,
    .set = cpu_set,
    .hash_begin = cpu_hash_begin,
    .hash = cpu_hash,
    .hash_copy = cpu_hash_copy,
    .hash_sum = cpu_hash_sum,
    .error = cpu_error,
    .sync = cpu_sync,
    .stream = cpu_stream,
    .time = cpu_time,
    .floors = cpu_floors,
};
