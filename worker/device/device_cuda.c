/* worker/device/device_cuda.c - an NVIDIA GPU as a device
 *
 * Memory that judge and sandbox share goes over CUDA's IPC handles; the
 * stream is not the default one, and does not wait for it: op code has to use
 * the stream it is given.
 */
#include "worker/device/device_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a kernel copies from or to the host. */
enum { SHORT_WAY = 256 * 1024 };

/* `what` with the words of `e`, which is the runtime's last error no more. */
static int fail_cuda(struct osw_error *err, enum osw_status status,
                     cudaError_t e, const char *what)
{
    (void)cudaGetLastError();
    return osw_fail(err, status, "%s%s%s (%s, %d)", what, *what ? ": " : "",
                    cudaGetErrorString(e), cudaGetErrorName(e), (int)e);
}

/* --- opening --- */

static int cuda_count(size_t *n, struct osw_error *err)
{
    int count = 0;
    cudaError_t e;

    *n = 0;
    osw_device_set_environment();
    e = cudaGetDeviceCount(&count);
    if (e == cudaErrorNoDevice)
        return 0;
    if (e != cudaSuccess)
        return fail_cuda(err, OSW_SYSTEM, e, "cannot count GPUs");
    *n = (size_t)count;
    return 0;
}

/* Operations per clock and multiprocessor, a multiply-add counted as two; the
 * fastest unit for each kind, from the CUDA programming guide's table of
 * throughputs and the architectures' white papers.
 */
/* clang-format off */
static const struct { int major, minor; double f64, f32, f16; } chips[] = {
    { 8, 0, 128, 128, 2048},
    { 8, 6,   4, 256, 1024},
    { 8, 9,   4, 256, 1024},
    { 9, 0, 256, 256, 4096},
    {10, 0, 128, 256, 8192},
};
/* clang-format on */

/* 0: unknown. */
static int attribute(const struct osw_device *dev, enum cudaDeviceAttr which)
{
    int value = 0;

    return cudaDeviceGetAttribute(&value, which, dev->index) == cudaSuccess
               ? value
               : 0;
}

/* What newer toolkits leave out of the properties. */
static void describe_speed(struct osw_device *dev,
                           const struct cudaDeviceProp *p)
{
    double core_hz = attribute(dev, cudaDevAttrClockRate) * 1e3;
    double memory_hz = attribute(dev, cudaDevAttrMemoryClockRate) * 1e3;
    int bits = attribute(dev, cudaDevAttrGlobalMemoryBusWidth);
    double units = p->multiProcessorCount * core_hz;

    dev->max_clock_mhz = core_hz / 1e6;
    dev->max_memory_clock_mhz = memory_hz / 1e6;
    dev->peak_bytes = 2 * memory_hz * (bits / 8.0); /* two transfers a clock */
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        if (chips[i].major != p->major || chips[i].minor != p->minor)
            continue;
        dev->peak_flops[OSW_ARITHMETIC_F64] = units * chips[i].f64;
        dev->peak_flops[OSW_ARITHMETIC_F32] = units * chips[i].f32;
        dev->peak_flops[OSW_ARITHMETIC_F16] = units * chips[i].f16;
    }
}

static void describe(struct osw_device *dev, const struct cudaDeviceProp *p)
{
    const unsigned char *u = (const unsigned char *)p->uuid.bytes;
    size_t n = (size_t)snprintf(dev->uuid, sizeof(dev->uuid), "GPU-");
    int version = 0;

    for (int i = 0; i < 16; i++)
        n += (size_t)snprintf(dev->uuid + n, sizeof(dev->uuid) - n, "%s%02x",
                              i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                              u[i]);
    snprintf(dev->visible, sizeof(dev->visible), "CUDA_VISIBLE_DEVICES=%s",
             dev->uuid);
    snprintf(dev->name, sizeof(dev->name), "%.127s", p->name);
    snprintf(dev->target, sizeof(dev->target), "sm_%d%d%s", p->major % 100,
             p->minor % 10, p->major >= 9 ? "a" : "");
    dev->memory_bytes = p->totalGlobalMem;
    dev->cache_bytes = (uint64_t)p->l2CacheSize;
    dev->n_cores = (uint32_t)p->multiProcessorCount;
    snprintf(dev->capability, sizeof(dev->capability), "%d.%d", p->major,
             p->minor);
    dev->compute_mode = attribute(dev, cudaDevAttrComputeMode);
    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        snprintf(dev->runtime, sizeof(dev->runtime), "%d.%d", version / 1000,
                 version % 1000 / 10);
    describe_speed(dev, p);
}

/* To free nothing makes a context, too. */
static void free_if_any(void *p)
{
    if (p)
        (void)cudaFree(p);
}

static void cuda_close(struct osw_device *dev)
{
    struct osw_cuda *c = osw_cuda_of(dev);

    if (!c)
        return;
    for (int i = 0; i < 2; i++)
        if (c->captured[i].exec)
            (void)cudaGraphExecDestroy(c->captured[i].exec);
    for (int i = 0; i < 2 * OSW_TIMING_GRAPH_SAMPLES; i++)
        if (c->events[i])
            (void)cudaEventDestroy(c->events[i]);
    free_if_any(c->hash);
    if (c->hash_seen)
        (void)cudaFreeHost(c->hash_seen);
    free_if_any(c->scrub);
    free_if_any(c->sink);
    free_if_any(c->edits);
    if (c->gate)
        (void)cudaFreeHost(c->gate);
    if (c->stream)
        (void)cudaStreamDestroy(c->stream);
    free(c);
}

static int cuda_open(int index, struct osw_device **out, struct osw_error *err)
{
    struct osw_cuda *c = calloc(1, sizeof(*c));
    struct cudaDeviceProp p;
    cudaError_t e;

    if (!c)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a device");
    osw_device_set_environment();
    c->base.ops = &osw_device_cuda_ops;
    c->base.index = index;
    e = cudaGetDeviceProperties(&p, index);
    if (e != cudaSuccess) {
        fail_cuda(err, OSW_DEVICE, e, "cannot use the GPU");
        free(c);
        return -1;
    }
    describe(&c->base, &p);
    *out = &c->base;
    return 0;
}

static int cuda_wake(struct osw_device *dev, struct osw_error *err)
{
    struct osw_cuda *c = osw_cuda_of(dev);
    cudaError_t e = cudaSetDevice(dev->index); /* makes the context */

    if (e || (e = cudaFree(NULL)) ||
        (e = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking)) ||
        (e = cudaMalloc((void **)&c->hash, sizeof(*c->hash))) ||
        (e = cudaMemset(c->hash, 0, sizeof(*c->hash))) ||
        (e = cudaHostAlloc((void **)&c->hash_seen,
                           OSW_HASH_SLOTS * sizeof(*c->hash_seen),
                           cudaHostAllocMapped)))
        return fail_cuda(err, OSW_DEVICE, e, "cannot use the GPU");
    for (int i = 0; i < 2 * OSW_TIMING_GRAPH_SAMPLES; i++)
        if ((e = cudaEventCreate(&c->events[i])) != cudaSuccess)
            return fail_cuda(err, OSW_DEVICE, e, "cannot use the GPU");
    return 0;
}

/* --- memory --- */

static uint64_t cuda_available(struct osw_device *dev)
{
    size_t free_bytes = 0, total = 0;

    (void)dev;
    (void)cudaMemGetInfo(&free_bytes, &total);
    return free_bytes;
}

static int cuda_map_private(struct osw_device *dev, uint64_t bytes,
                            struct osw_map *out, struct osw_error *err)
{
    struct osw_map map = {.fd = -1};
    cudaError_t e;

    (void)dev;
    map.bytes =
        (bytes + OSW_CUDA_GRANULE - 1) / OSW_CUDA_GRANULE * OSW_CUDA_GRANULE;
    e = cudaMalloc(&map.base, map.bytes);
    if (e != cudaSuccess)
        return fail_cuda(
            err, e == cudaErrorMemoryAllocation ? OSW_NO_MEMORY : OSW_DEVICE, e,
            "cannot allocate on the GPU");
    *out = map;
    return 0;
}

_Static_assert(sizeof(cudaIpcMemHandle_t) <=
                   sizeof(((struct osw_map *)0)->handle),
               "a handle fits");

static int cuda_map_create(struct osw_device *dev, uint64_t bytes,
                           struct osw_map *out, struct osw_error *err)
{
    cudaIpcMemHandle_t handle;
    cudaError_t e;

    if (cuda_map_private(dev, bytes, out, err) < 0)
        return -1;
    e = cudaIpcGetMemHandle(&handle, out->base);
    if (e != cudaSuccess) {
        (void)cudaFree(out->base);
        *out = (struct osw_map){.fd = -1};
        return fail_cuda(err, OSW_DEVICE, e,
                         "memory of the GPU cannot be shared between "
                         "processes (in a container: --ipc=host, --pid=host)");
    }
    memcpy(out->handle, &handle, sizeof(handle));
    return 0;
}

static int cuda_map_open(struct osw_device *dev, struct osw_map *map,
                         struct osw_error *err)
{
    cudaIpcMemHandle_t handle;
    cudaError_t e;

    (void)dev;
    memcpy(&handle, map->handle, sizeof(handle));
    e = cudaIpcOpenMemHandle(&map->base, handle,
                             cudaIpcMemLazyEnablePeerAccess);
    if (e != cudaSuccess)
        return fail_cuda(err, OSW_DEVICE, e, "cannot open the arena");
    map->foreign = true;
    return 0;
}

static void cuda_map_release(struct osw_device *dev, struct osw_map *map,
                             uint64_t from)
{
    (void)dev; /* memory of a GPU is given back as a whole only */
    (void)map;
    (void)from;
}

static void cuda_map_destroy(struct osw_device *dev, struct osw_map *map)
{
    (void)dev;
    if (map->base && map->foreign)
        (void)cudaIpcCloseMemHandle(map->base);
    else if (map->base)
        (void)cudaFree(map->base);
    *map = (struct osw_map){.fd = -1};
}

static int cuda_pin(struct osw_device *dev, void *base, uint64_t bytes,
                    struct osw_error *err)
{
    cudaError_t e = cudaHostRegister(base, bytes, cudaHostRegisterMapped);
    void *seen = NULL;

    if (e != cudaSuccess)
        return fail_cuda(err, OSW_DEVICE, e, "cannot pin the window");
    /* Kernels reach it by its own address on all but unusual machines. */
    if (cudaHostGetDevicePointer(&seen, base, 0) == cudaSuccess &&
        seen == base) {
        osw_cuda_of(dev)->pinned = base;
        osw_cuda_of(dev)->pinned_bytes = bytes;
    }
    (void)cudaGetLastError();
    return 0;
}

/* --- work --- */

/* All of it in memory of the host that was pinned? */
static bool is_pinned(const struct osw_cuda *c, const void *p, uint64_t bytes)
{
    const char *base = c->pinned;
    const char *at = p;

    return base && at >= base && at < base + c->pinned_bytes &&
           bytes <= (uint64_t)(base + c->pinned_bytes - at);
}

/* Does it go quicker by a kernel? */
static bool is_short_way(const struct osw_cuda *c, const void *to,
                         const void *from, uint64_t bytes)
{
    return bytes <= SHORT_WAY && (uintptr_t)to % 16 == 0 &&
           (uintptr_t)from % 16 == 0 &&
           (is_pinned(c, to, bytes) || is_pinned(c, from, bytes));
}

/* What waits is launched, before anything else is. */
static void launch(struct osw_cuda *c)
{
    if (c->waits)
        osw_cuda_show(c->stream, &c->made, c->hash);
    c->waits = false;
}

static bool is_apart(const void *a, uint64_t n, const void *b, uint64_t m)
{
    return (const char *)a + n <= (const char *)b ||
           (const char *)b + m <= (const char *)a;
}

/* Can it be one launch with what waits? */
static bool is_turn(const struct osw_cuda *c, const void *to, const void *from,
                    uint64_t bytes)
{
    return c->waits && bytes <= OSW_CUDA_TURN_BYTES &&
           is_short_way(c, to, from, bytes) &&
           is_apart(from, bytes, c->made.to, c->made.n_copied) &&
           is_apart(to, bytes, c->made.to, c->made.n_copied);
}

static void cuda_copy(struct osw_device *dev, void *to, const void *from,
                      uint64_t bytes)
{
    struct osw_cuda *c = osw_cuda_of(dev);

    if (bytes > 0 && is_turn(c, to, from, bytes)) {
        osw_cuda_turn(c->stream, &c->made, c->hash, to, from, bytes);
        c->waits = false;
        return;
    }
    launch(c);
    if (bytes > 0 && is_short_way(c, to, from, bytes))
        osw_cuda_move(c->stream, to, from, bytes);
    else if (bytes > 0)
        (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, c->stream);
}

static void cuda_set(struct osw_device *dev, void *to, int byte, uint64_t bytes)
{
    launch(osw_cuda_of(dev));
    if (bytes > 0)
        (void)cudaMemsetAsync(to, byte, bytes, osw_cuda_of(dev)->stream);
}

static void cuda_hash_begin(struct osw_device *dev, uint32_t slot)
{
    struct osw_cuda *c = osw_cuda_of(dev);

    launch(c);
    c->hash_slot = slot % OSW_HASH_SLOTS;
    c->hash_seen[c->hash_slot] = 0;
    c->hashing = false;
}

static void cuda_hash(struct osw_device *dev, const void *data, uint64_t bytes,
                      uint64_t seed)
{
    struct osw_cuda *c = osw_cuda_of(dev);

    launch(c);
    osw_cuda_hash(c->stream, data, bytes, seed, !c->hashing, c->hash,
                  c->hash_seen + c->hash_slot);
    c->hashing = true;
}

static void cuda_hash_copy(struct osw_device *dev, const void *data,
                           uint64_t bytes, uint64_t seed, void *to,
                           const void *from, uint64_t n)
{
    struct osw_cuda *c = osw_cuda_of(dev);

    if (n == 0 || !is_short_way(c, to, from, n)) {
        cuda_hash(dev, data, bytes, seed);
        cuda_copy(dev, to, from, n);
        return;
    }
    launch(c);
    c->made = (struct osw_cuda_made){
        data, bytes, seed, !c->hashing, c->hash_seen + c->hash_slot,
        to,   from,  n};
    c->waits = true;
    c->hashing = true;
    if (n > OSW_CUDA_TURN_BYTES)
        launch(c);
}

static uint64_t cuda_hash_sum(struct osw_device *dev, uint32_t slot)
{
    return osw_cuda_of(dev)->hash_seen[slot % OSW_HASH_SLOTS];
}

static int cuda_error(struct osw_device *dev, struct osw_error *err)
{
    cudaError_t e = cudaGetLastError();

    (void)dev;
    if (e != cudaSuccess)
        fail_cuda(err, OSW_DEVICE, e, "");
    return (int)e;
}

static int cuda_sync(struct osw_device *dev, bool *lost, struct osw_error *err)
{
    struct osw_cuda *c = osw_cuda_of(dev);
    cudaError_t e;

    launch(c);
    e = cudaStreamSynchronize(c->stream);
    *lost = false;
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        return cuda_error(dev, err);
    (void)cudaGetLastError();
    *lost = cudaStreamSynchronize(c->stream) != cudaSuccess;
    fail_cuda(err, OSW_DEVICE, e, "");
    return (int)e;
}

static void *cuda_stream(struct osw_device *dev)
{
    return osw_cuda_of(dev)->stream;
}

const struct osw_device_ops osw_device_cuda_ops = {
    .kind = "cuda",
    .dl_type = OSW_CUDA,
    .own_memory = true,
    .n_standby = 4,
    .n_ahead = 12,
    .count = cuda_count,
    .open = cuda_open,
    .wake = cuda_wake,
    .close = cuda_close,
    .available = cuda_available,
    .map_create = cuda_map_create,
    .map_private = cuda_map_private,
    .map_open = cuda_map_open,
    .map_release = cuda_map_release,
    .map_destroy = cuda_map_destroy,
    .pin = cuda_pin,
    .copy = cuda_copy,
    .set = cuda_set,
    .hash_begin = cuda_hash_begin,
    .hash = cuda_hash,
    .hash_copy = cuda_hash_copy,
    .hash_sum = cuda_hash_sum,
    .error = cuda_error,
    .sync = cuda_sync,
    .stream = cuda_stream,
    .time = osw_cuda_time,
    .floors = osw_cuda_floors,
};
