/* worker/device/device_cuda.c - an NVIDIA GPU as a device
 *
 * Memory that judge and sandbox share goes over CUDA's IPC handles; the
 * stream is not the default one, and does not wait for it: op code has to use
 * the stream it is given.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/device/device.h"
#include "worker/device/kernels_cuda.h"
#include "worker/hash.h"

enum {
    GRANULE = 2 * 1024 * 1024, /* of shared memory */
    SCRUB_FACTOR = 2,          /* times the cache */
    GRAIN = 4096,              /* of places to read from */
    FLOOR_SAMPLES = 32,
    SHORT_WAY = 256 * 1024, /* bytes that a kernel copies from or to the host */
};

/* What was captured: `samples` pairs of events around n_inner calls. */
struct captured {
    uint64_t key;
    uint32_t n_inner, samples;
    bool cold, refused; /* refused: these calls cannot be captured */
    cudaGraphExec_t exec;
};

/* Words in the host's memory that kernels see. */
struct gate {
    unsigned int open, late;
};

struct cuda {
    struct osw_device base;
    cudaStream_t stream;
    cudaEvent_t events[2 * OSW_TIMING_GRAPH_SAMPLES];
    struct osw_cuda_hash *hash;    /* on the device */
    unsigned long long *hash_seen; /* [OSW_HASH_SLOTS] where the host looks */
    uint32_t hash_slot;            /* in use */
    bool hashing;                  /* something in this slot */
    const void *pinned;            /* memory of the host, or NULL */
    uint64_t pinned_bytes;
    void *scrub;
    uint64_t scrub_bytes, scrub_at; /* read from there; twice as large */
    uint64_t moves;
    uint64_t key; /* of the calls timed last */
    unsigned int *sink;
    struct gate *gate;
    unsigned int ticket;
    uint64_t waits_key;           /* calls of this key wait for the stream */
    struct captured captured[2];  /* cold, warm */
    struct osw_cuda_edits *edits; /* on the device */
};

static struct cuda *cuda_of(struct osw_device *dev)
{
    return (struct cuda *)dev;
}

static int fail_cuda(struct osw_error *err, enum osw_status status,
                     cudaError_t e, const char *what)
{
    return osw_fail(err, status, "%s: %s (%s, %d)", what, cudaGetErrorString(e),
                    cudaGetErrorName(e), (int)e);
}

/* --- opening --- */

/* Queues of the hardware, and those for copies: each makes opening a context,
 * and ending it, take longer, which the driver does for one process after the
 * other (tests/bench/gpu/contexts.cu).  Whoever wants another number sets it.
 */
static void choose_settings(void)
{
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
    (void)setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
    osw_device_keep_cache("CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE");
}

static int cuda_count(size_t *n, struct osw_error *err)
{
    int count = 0;
    cudaError_t e;

    *n = 0;
    choose_settings();
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

static void describe_speed(struct osw_device *dev,
                           const struct cudaDeviceProp *p)
{
    int khz = 0, bits = 0;

    /* Two transfers a clock. */
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, dev->index) ==
            cudaSuccess &&
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth,
                               dev->index) == cudaSuccess)
        dev->peak_bytes = 2 * (khz * 1e3) * (bits / 8.0);
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, dev->index) !=
        cudaSuccess)
        return;
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        double units = p->multiProcessorCount * (khz * 1e3);

        if (chips[i].major != p->major || chips[i].minor != p->minor)
            continue;
        dev->peak_flops[OSW_ARITHMETIC_F64] = units * chips[i].f64;
        dev->peak_flops[OSW_ARITHMETIC_F32] = units * chips[i].f32;
        dev->peak_flops[OSW_ARITHMETIC_F16] = units * chips[i].f16;
    }
}

/* What newer toolkits leave out of the properties. */
static void describe_rest(struct osw_device *dev)
{
    int core_khz = 0, memory_khz = 0, mode = 0, version = 0;

    (void)cudaDeviceGetAttribute(&core_khz, cudaDevAttrClockRate, dev->index);
    (void)cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate,
                                 dev->index);
    (void)cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, dev->index);
    dev->max_clock_mhz = core_khz / 1e3;
    dev->max_memory_clock_mhz = memory_khz / 1e3;
    dev->compute_mode = mode;
    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        snprintf(dev->runtime, sizeof(dev->runtime), "%d.%d", version / 1000,
                 version % 1000 / 10);
}

static void describe(struct osw_device *dev, const struct cudaDeviceProp *p)
{
    const unsigned char *u = (const unsigned char *)p->uuid.bytes;
    size_t n = 0;

    n += (size_t)snprintf(dev->uuid, sizeof(dev->uuid), "GPU-");
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
    describe_speed(dev, p);
    describe_rest(dev);
}

static void cuda_close(struct osw_device *dev)
{
    struct cuda *c = cuda_of(dev);

    if (!c)
        return;
    for (int i = 0; i < 2; i++)
        if (c->captured[i].exec)
            (void)cudaGraphExecDestroy(c->captured[i].exec);
    for (int i = 0; i < 2 * OSW_TIMING_GRAPH_SAMPLES; i++)
        if (c->events[i])
            (void)cudaEventDestroy(c->events[i]);
    (void)cudaFree(c->hash);
    if (c->hash_seen)
        (void)cudaFreeHost(c->hash_seen);
    (void)cudaFree(c->scrub);
    (void)cudaFree(c->sink);
    (void)cudaFree(c->edits);
    if (c->gate)
        (void)cudaFreeHost(c->gate);
    if (c->stream)
        (void)cudaStreamDestroy(c->stream);
    free(c);
}

static int cuda_open(int index, struct osw_device **out, struct osw_error *err)
{
    struct cuda *c = calloc(1, sizeof(*c));
    struct cudaDeviceProp p;
    cudaError_t e;

    if (!c)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a device");
    choose_settings();
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
    struct cuda *c = cuda_of(dev);
    cudaError_t e = cudaSetDevice(dev->index); /* makes the context */

    if (e == cudaSuccess)
        e = cudaFree(NULL);
    if (e == cudaSuccess)
        e = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 * OSW_TIMING_GRAPH_SAMPLES && e == cudaSuccess; i++)
        e = cudaEventCreate(&c->events[i]);
    if (e == cudaSuccess)
        e = cudaMalloc((void **)&c->hash, sizeof(*c->hash));
    if (e == cudaSuccess)
        e = cudaMemset(c->hash, 0, sizeof(*c->hash));
    if (e == cudaSuccess)
        e = cudaHostAlloc((void **)&c->hash_seen,
                          OSW_HASH_SLOTS * sizeof(*c->hash_seen),
                          cudaHostAllocMapped);
    return e == cudaSuccess
               ? 0
               : fail_cuda(err, OSW_DEVICE, e, "cannot use the GPU");
}

/* --- memory --- */

static uint64_t cuda_available(struct osw_device *dev)
{
    size_t free_bytes = 0, total = 0;

    (void)dev;
    (void)cudaMemGetInfo(&free_bytes, &total);
    return free_bytes;
}

static int allocate(uint64_t bytes, struct osw_map *out, struct osw_error *err)
{
    struct osw_map map = {.fd = -1};
    cudaError_t e;

    map.bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    e = cudaMalloc(&map.base, map.bytes);
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        return fail_cuda(
            err, e == cudaErrorMemoryAllocation ? OSW_NO_MEMORY : OSW_DEVICE, e,
            "cannot allocate on the GPU");
    }
    *out = map;
    return 0;
}

static int cuda_map_private(struct osw_device *dev, uint64_t bytes,
                            struct osw_map *out, struct osw_error *err)
{
    (void)dev;
    return allocate(bytes, out, err);
}

_Static_assert(sizeof(cudaIpcMemHandle_t) <=
                   sizeof(((struct osw_map *)0)->handle),
               "a handle fits");

static int cuda_map_create(struct osw_device *dev, uint64_t bytes,
                           struct osw_map *out, struct osw_error *err)
{
    cudaIpcMemHandle_t handle;
    cudaError_t e;

    (void)dev;
    if (allocate(bytes, out, err) < 0)
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
        cuda_of(dev)->pinned = base;
        cuda_of(dev)->pinned_bytes = bytes;
    }
    (void)cudaGetLastError();
    return 0;
}

/* --- work --- */

/* All of it in memory of the host that was pinned? */
static bool is_pinned(const struct cuda *c, const void *p, uint64_t bytes)
{
    const char *base = c->pinned;
    const char *at = p;

    return base && at >= base && at < base + c->pinned_bytes &&
           bytes <= (uint64_t)(base + c->pinned_bytes - at);
}

/* Does it go quicker by a kernel? */
static bool is_short_way(const struct cuda *c, const void *to, const void *from,
                         uint64_t bytes)
{
    return bytes <= SHORT_WAY && (uintptr_t)to % 16 == 0 &&
           (uintptr_t)from % 16 == 0 &&
           (is_pinned(c, to, bytes) || is_pinned(c, from, bytes));
}

static void cuda_copy(struct osw_device *dev, void *to, const void *from,
                      uint64_t bytes)
{
    if (bytes > 0 && is_short_way(cuda_of(dev), to, from, bytes))
        osw_cuda_move(cuda_of(dev)->stream, to, from, bytes);
    else if (bytes > 0)
        (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
                              cuda_of(dev)->stream);
}

static void cuda_set(struct osw_device *dev, void *to, int byte, uint64_t bytes)
{
    if (bytes > 0)
        (void)cudaMemsetAsync(to, byte, bytes, cuda_of(dev)->stream);
}

static void cuda_hash_begin(struct osw_device *dev, uint32_t slot)
{
    struct cuda *c = cuda_of(dev);

    c->hash_slot = slot % OSW_HASH_SLOTS;
    c->hash_seen[c->hash_slot] = 0;
    c->hashing = false;
}

static void cuda_hash(struct osw_device *dev, const void *data, uint64_t bytes,
                      uint64_t seed)
{
    struct cuda *c = cuda_of(dev);

    osw_cuda_hash(c->stream, data, bytes, seed, !c->hashing, c->hash,
                  c->hash_seen + c->hash_slot);
    c->hashing = true;
}

static void cuda_hash_copy(struct osw_device *dev, const void *data,
                           uint64_t bytes, uint64_t seed, void *to,
                           const void *from, uint64_t n)
{
    struct cuda *c = cuda_of(dev);

    if (n == 0 || !is_short_way(c, to, from, n)) {
        cuda_hash(dev, data, bytes, seed);
        cuda_copy(dev, to, from, n);
        return;
    }
    osw_cuda_hash_move(c->stream, data, bytes, seed, !c->hashing, c->hash,
                       c->hash_seen + c->hash_slot, to, from, n);
    c->hashing = true;
}

static uint64_t cuda_hash_sum(struct osw_device *dev, uint32_t slot)
{
    return cuda_of(dev)->hash_seen[slot % OSW_HASH_SLOTS];
}

static int cuda_error(struct osw_device *dev, struct osw_error *err)
{
    cudaError_t e = cudaGetLastError();

    (void)dev;
    if (e == cudaSuccess)
        return 0;
    osw_fail(err, OSW_DEVICE, "%s (%s, %d)", cudaGetErrorString(e),
             cudaGetErrorName(e), (int)e);
    return (int)e;
}

static int cuda_sync(struct osw_device *dev, bool *lost, struct osw_error *err)
{
    struct cuda *c = cuda_of(dev);
    cudaError_t e;

    e = cudaStreamSynchronize(c->stream);
    *lost = false;
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        return cuda_error(dev, err);
    (void)cudaGetLastError();
    *lost = cudaStreamSynchronize(c->stream) != cudaSuccess;
    (void)cudaGetLastError();
    osw_fail(err, OSW_DEVICE, "%s (%s, %d)", cudaGetErrorString(e),
             cudaGetErrorName(e), (int)e);
    return (int)e;
}

static void *cuda_stream(struct osw_device *dev)
{
    return cuda_of(dev)->stream;
}

/* --- timing --- */

/* Memory of zeros to read, twice the cache, and words for kernels. */
static bool make_ready(struct cuda *c)
{
    if (c->scrub)
        return true;
    c->scrub_bytes = SCRUB_FACTOR * c->base.cache_bytes + GRANULE;
    if (cudaMalloc(&c->scrub, 2 * c->scrub_bytes) != cudaSuccess ||
        cudaMemset(c->scrub, 0, 2 * c->scrub_bytes) != cudaSuccess ||
        cudaMalloc((void **)&c->sink, sizeof(*c->sink)) != cudaSuccess ||
        cudaMalloc((void **)&c->edits, sizeof(*c->edits)) != cudaSuccess ||
        cudaHostAlloc((void **)&c->gate, sizeof(*c->gate),
                      cudaHostAllocMapped) != cudaSuccess) {
        (void)cudaFree(c->scrub);
        c->scrub = NULL;
        return false;
    }
    memset(c->gate, 0, sizeof(*c->gate));
    return cudaDeviceSynchronize() == cudaSuccess;
}

/* From another place each time that calls are captured: which lines of theirs
 * survive depends on the addresses that drive them out.
 */
static void clear_cache(struct cuda *c)
{
    osw_cuda_read(c->stream, (char *)c->scrub + c->scrub_at, c->scrub_bytes,
                  c->sink);
}

static void move_scrub(struct cuda *c)
{
    uint64_t steps = c->scrub_bytes / GRAIN;

    c->scrub_at =
        osw_hash_bytes(&c->scrub_at, sizeof(c->scrub_at), ++c->moves) % steps *
        GRAIN;
}

static int call_all(const struct osw_timing *ask)
{
    int code = 0;

    for (uint32_t k = 0; k < ask->n_inner && code == 0; k++)
        code = ask->call(ask->arg);
    return code;
}

/* One launch of a graph gives several samples without a gap in which the host
 * would have to be quick.
 */
static cudaGraph_t capture(struct cuda *c, const struct osw_timing *ask,
                           uint32_t samples)
{
    cudaGraph_t graph = NULL;
    int code = 0;

    if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess)
        return NULL;
    for (uint32_t i = 0; i < samples && code == 0; i++) {
        ask->before(ask->arg);
        osw_cuda_edit(c->stream, c->edits, -1);
        if (ask->cold)
            clear_cache(c);
        (void)cudaEventRecordWithFlags(c->events[2 * i], c->stream,
                                       cudaEventRecordExternal);
        code = call_all(ask);
        (void)cudaEventRecordWithFlags(c->events[2 * i + 1], c->stream,
                                       cudaEventRecordExternal);
    }
    if (cudaStreamEndCapture(c->stream, &graph) != cudaSuccess || code != 0) {
        if (graph)
            (void)cudaGraphDestroy(graph);
        graph = NULL;
    }
    (void)cudaGetLastError();
    return graph;
}

/* What was captured for these calls, or is now; NULL: they cannot be. */
static struct captured *graph_for(struct cuda *c, const struct osw_timing *ask)
{
    struct captured *g = &c->captured[ask->cold ? 0 : 1];
    uint32_t samples = ask->n_samples < OSW_TIMING_GRAPH_SAMPLES
                           ? ask->n_samples
                           : OSW_TIMING_GRAPH_SAMPLES;
    cudaGraph_t graph;

    if (g->key == ask->key && g->refused)
        return NULL;
    if (g->key == ask->key && g->n_inner == ask->n_inner &&
        g->samples == samples && g->exec)
        return g;
    if (g->exec)
        (void)cudaGraphExecDestroy(g->exec);
    *g = (struct captured){.key = ask->key,
                           .n_inner = ask->n_inner,
                           .samples = samples,
                           .cold = ask->cold};
    graph = capture(c, ask, samples);
    if (!graph || cudaGraphInstantiate(&g->exec, graph, 0) != cudaSuccess) {
        (void)cudaGetLastError();
        g->exec = NULL;
        g->refused = true;
    } else {
        (void)cudaGraphUpload(g->exec, c->stream);
        (void)cudaStreamSynchronize(c->stream);
    }
    if (graph)
        (void)cudaGraphDestroy(graph);
    return g->exec ? g : NULL;
}

static bool read_events(struct cuda *c, uint32_t i, uint32_t n_inner,
                        float *out)
{
    float ms = 0;

    if (cudaEventElapsedTime(&ms, c->events[2 * i], c->events[2 * i + 1]) !=
        cudaSuccess)
        return false;
    *out = (float)((double)ms * 1e6 / (n_inner ? n_inner : 1));
    return true;
}

static enum osw_timer time_graph(struct cuda *c, const struct osw_timing *ask,
                                 const struct captured *g, float *samples,
                                 int *code)
{
    for (uint32_t n = 0; n < ask->n_samples;) {
        if (cudaGraphLaunch(g->exec, c->stream) != cudaSuccess ||
            cudaStreamSynchronize(c->stream) != cudaSuccess) {
            *code = -1;
            return OSW_TIMER_NONE;
        }
        for (uint32_t i = 0; i < g->samples && n < ask->n_samples; i++)
            if (!read_events(c, i, ask->n_inner, &samples[n++])) {
                *code = -1;
                return OSW_TIMER_NONE;
            }
    }
    return OSW_TIMER_GRAPH;
}

/* The stream is held while the host enqueues, so that no gap of it is timed;
 * not for calls that wait for the stream themselves.
 */
static enum osw_timer time_stream(struct cuda *c, const struct osw_timing *ask,
                                  float *samples, int *code)
{
    for (uint32_t i = 0; i < ask->n_samples; i++) {
        bool hold = c->waits_key != ask->key;

        ask->before(ask->arg);
        osw_cuda_edit(c->stream, c->edits, i);
        if (ask->cold)
            clear_cache(c);
        c->ticket++;
        if (hold)
            osw_cuda_hold(c->stream, &c->gate->open, c->ticket, &c->gate->late);
        (void)cudaEventRecord(c->events[0], c->stream);
        *code = call_all(ask);
        (void)cudaEventRecord(c->events[1], c->stream);
        __atomic_store_n(&c->gate->open, c->ticket, __ATOMIC_SEQ_CST);
        if (*code == 0 && (cudaStreamSynchronize(c->stream) != cudaSuccess ||
                           !read_events(c, 0, ask->n_inner, &samples[i])))
            *code = -1;
        if (*code != 0)
            return OSW_TIMER_NONE;
        if (hold &&
            __atomic_load_n(&c->gate->late, __ATOMIC_SEQ_CST) == c->ticket) {
            c->waits_key = ask->key;
            i--; /* that sample held the wait for us */
        }
    }
    return OSW_TIMER_STREAM;
}

static enum osw_timer time_wall(struct cuda *c, const struct osw_timing *ask,
                                float *samples, int *code)
{
    for (uint32_t i = 0; i < ask->n_samples; i++) {
        int64_t t0;

        ask->before(ask->arg);
        osw_cuda_edit(c->stream, c->edits, i);
        if (ask->cold)
            clear_cache(c);
        *code = cudaStreamSynchronize(c->stream) == cudaSuccess ? 0 : -1;
        t0 = osw_clock_ns();
        if (*code == 0)
            *code = call_all(ask);
        if (*code == 0 && cudaStreamSynchronize(c->stream) != cudaSuccess)
            *code = -1;
        if (*code != 0)
            return OSW_TIMER_NONE;
        samples[i] = (float)((double)(osw_clock_ns() - t0) /
                             (ask->n_inner ? ask->n_inner : 1));
    }
    return OSW_TIMER_CLOCK;
}

/* Without edits those of a request do nothing. */
static bool begin_edits(struct cuda *c, const struct osw_timing *ask)
{
    struct osw_cuda_edits state = {.base = ask->base};

    if (ask->edits)
        state.edits = *ask->edits;
    return cudaMemcpyAsync(c->edits, &state, sizeof(state),
                           cudaMemcpyHostToDevice, c->stream) == cudaSuccess;
}

static enum osw_timer take_samples(struct cuda *c, const struct osw_timing *ask,
                                   float *samples, int *code)
{
    const struct captured *g;

    if (ask->wall)
        return time_wall(c, ask, samples, code);
    if (ask->key != c->key)
        move_scrub(c);
    c->key = ask->key;
    g = ask->live ? NULL : graph_for(c, ask);
    return g ? time_graph(c, ask, g, samples, code)
             : time_stream(c, ask, samples, code);
}

static enum osw_timer cuda_time(struct osw_device *dev,
                                const struct osw_timing *ask, float *samples,
                                int *code)
{
    struct cuda *c = cuda_of(dev);
    enum osw_timer timer;

    *code = -1;
    if (!make_ready(c) || !begin_edits(c, ask))
        return OSW_TIMER_NONE;
    *code = 0;
    (void)cudaCtxResetPersistingL2Cache();
    timer = take_samples(c, ask, samples, code);
    osw_cuda_edit_end(c->stream, c->edits);
    if (cudaStreamSynchronize(c->stream) == cudaSuccess)
        return timer;
    if (*code == 0)
        *code = -1;
    return OSW_TIMER_NONE;
}

static void before_nothing(void *arg)
{
    (void)arg;
}

static int call_nothing(void *arg)
{
    (void)arg;
    return 0;
}

static int call_null(void *arg)
{
    osw_cuda_nothing(cuda_of(arg)->stream);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static double floor_of(struct osw_device *dev, int (*call)(void *arg))
{
    float samples[FLOOR_SAMPLES];
    struct osw_timing ask = {.n_samples = FLOOR_SAMPLES,
                             .n_inner = 1,
                             .key = UINT64_MAX,
                             .before = before_nothing,
                             .call = call,
                             .arg = dev};
    int code;

    cuda_of(dev)->captured[1].key = 0;
    if (cuda_time(dev, &ask, samples, &code) == OSW_TIMER_NONE)
        return 0;
    qsort(samples, FLOOR_SAMPLES, sizeof(samples[0]), by_value);
    return (double)samples[FLOOR_SAMPLES / 2];
}

static void cuda_floors(struct osw_device *dev, double *empty_ns,
                        double *null_ns)
{
    *empty_ns = floor_of(dev, call_nothing);
    *null_ns = floor_of(dev, call_null);
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
    .time = cuda_time,
    .floors = cuda_floors,
};
