/* worker/device/timing_cuda.c - calls on a GPU are timed
 *
 * By pairs of events in a graph that is launched, or on the stream where calls
 * cannot be captured, or by the host's clock.
 */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "worker/device/device_cuda.h"
#include "worker/hash.h"

enum {
    SCRUB_FACTOR = 2, /* times the cache */
    GRAIN = 4096,     /* of places to read from */
    FLOOR_SAMPLES = 32,
    HOLD_NS = 2000000000, /* at most, for calls to be enqueued */
    HOLD_AGAIN_NS = 100000000,
};

/* Memory of zeros to read, twice the cache, and words for kernels. */
static bool make_ready(struct osw_cuda *c)
{
    if (c->scrub)
        return true;
    c->scrub_bytes = SCRUB_FACTOR * c->base.cache_bytes + OSW_CUDA_GRANULE;
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
static void clear_cache(struct osw_cuda *c)
{
    osw_cuda_read(c->stream, (char *)c->scrub + c->scrub_at, c->scrub_bytes,
                  c->sink);
}

static void move_scrub(struct osw_cuda *c)
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

static bool is_whole(const struct osw_timing *ask)
{
    return ask->edits && ask->edits->whole;
}

/* What comes before the calls of sample i, below 0: of the next one. */
static void begin_sample(struct osw_cuda *c, const struct osw_timing *ask,
                         int64_t i)
{
    ask->before(ask->arg);
    osw_cuda_edit(c->stream, c->edits, i, is_whole(ask));
    if (ask->cold)
        clear_cache(c);
}

/* One launch of a graph gives several samples without a gap in which the host
 * would have to be quick.
 */
static cudaGraph_t capture(struct osw_cuda *c, const struct osw_timing *ask,
                           uint32_t samples)
{
    cudaGraph_t graph = NULL;
    int code = 0;

    if (cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess)
        return NULL;
    for (uint32_t i = 0; i < samples && code == 0; i++) {
        begin_sample(c, ask, -1);
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
static struct osw_cuda_captured *graph_for(struct osw_cuda *c,
                                           const struct osw_timing *ask)
{
    struct osw_cuda_captured *g = &c->captured[ask->cold ? 0 : 1];
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
    *g = (struct osw_cuda_captured){.key = ask->key,
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

static bool read_events(struct osw_cuda *c, uint32_t i, uint32_t n_inner,
                        float *out)
{
    float ms = 0;

    if (cudaEventElapsedTime(&ms, c->events[2 * i], c->events[2 * i + 1]) !=
        cudaSuccess)
        return false;
    *out = (float)((double)ms * 1e6 / (n_inner ? n_inner : 1));
    return true;
}

/* Returns as the others below: 0, what a call returned, or -1 when the device
 * failed.
 */
static int time_graph(struct osw_cuda *c, const struct osw_timing *ask,
                      const struct osw_cuda_captured *g, float *samples)
{
    for (uint32_t n = 0; n < ask->n_samples;) {
        if (cudaGraphLaunch(g->exec, c->stream) != cudaSuccess ||
            cudaStreamSynchronize(c->stream) != cudaSuccess)
            return -1;
        for (uint32_t i = 0; i < g->samples && n < ask->n_samples; i++)
            if (!read_events(c, i, ask->n_inner, &samples[n++]))
                return -1;
    }
    return 0;
}

/* The stream is held while the host enqueues, so that no gap of it is timed;
 * not for calls that wait for the stream themselves.  Each round of timing is a
 * new key: code that waited once is not waited for as long again.
 */
static int time_stream(struct osw_cuda *c, const struct osw_timing *ask,
                       float *samples)
{
    for (uint32_t i = 0; i < ask->n_samples; i++) {
        bool hold = !ask->waits && c->waits_key != ask->key;
        int code;

        begin_sample(c, ask, i);
        c->ticket++;
        if (hold)
            osw_cuda_hold(c->stream, &c->gate->open, c->ticket,
                          c->waited ? HOLD_AGAIN_NS : HOLD_NS, &c->gate->late);
        (void)cudaEventRecord(c->events[0], c->stream);
        code = call_all(ask);
        (void)cudaEventRecord(c->events[1], c->stream);
        __atomic_store_n(&c->gate->open, c->ticket, __ATOMIC_SEQ_CST);
        if (code != 0)
            return code;
        if (cudaStreamSynchronize(c->stream) != cudaSuccess ||
            !read_events(c, 0, ask->n_inner, &samples[i]))
            return -1;
        if (hold &&
            __atomic_load_n(&c->gate->late, __ATOMIC_SEQ_CST) == c->ticket) {
            c->waits_key = ask->key;
            c->waited = true;
            i--; /* that sample held the wait for us */
        }
    }
    return 0;
}

static int time_wall(struct osw_cuda *c, const struct osw_timing *ask,
                     float *samples)
{
    for (uint32_t i = 0; i < ask->n_samples; i++) {
        int64_t t0;
        int code;

        begin_sample(c, ask, i);
        if (cudaStreamSynchronize(c->stream) != cudaSuccess)
            return -1;
        t0 = osw_clock_ns();
        code = call_all(ask);
        if (code != 0)
            return code;
        if (cudaStreamSynchronize(c->stream) != cudaSuccess)
            return -1;
        samples[i] = (float)((double)(osw_clock_ns() - t0) /
                             (ask->n_inner ? ask->n_inner : 1));
    }
    return 0;
}

/* Without edits those of a request do nothing. */
static bool begin_edits(struct osw_cuda *c, const struct osw_timing *ask)
{
    struct osw_cuda_edits state = {.base = ask->base};

    if (ask->edits)
        state.edits = *ask->edits;
    return cudaMemcpyAsync(c->edits, &state, sizeof(state),
                           cudaMemcpyHostToDevice, c->stream) == cudaSuccess;
}

static enum osw_timer take_samples(struct osw_cuda *c,
                                   const struct osw_timing *ask, float *samples,
                                   int *code)
{
    const struct osw_cuda_captured *g;

    if (ask->wall) {
        *code = time_wall(c, ask, samples);
        return OSW_TIMER_CLOCK;
    }
    if (ask->key != c->key)
        move_scrub(c);
    c->key = ask->key;
    g = ask->live || is_whole(ask) ? NULL : graph_for(c, ask);
    *code = g ? time_graph(c, ask, g, samples) : time_stream(c, ask, samples);
    return g ? OSW_TIMER_GRAPH : OSW_TIMER_STREAM;
}

enum osw_timer osw_cuda_time(struct osw_device *dev,
                             const struct osw_timing *ask, float *samples,
                             int *code)
{
    struct osw_cuda *c = osw_cuda_of(dev);
    enum osw_timer timer;

    *code = -1;
    if (!make_ready(c) || !begin_edits(c, ask))
        return OSW_TIMER_NONE;
    (void)cudaCtxResetPersistingL2Cache();
    timer = take_samples(c, ask, samples, code);
    if (*code == 0 && ask->after)
        *code = ask->after(ask->arg);
    osw_cuda_edit_end(c->stream, c->edits, is_whole(ask));
    if (cudaStreamSynchronize(c->stream) != cudaSuccess && *code == 0)
        *code = -1;
    return *code == 0 ? timer : OSW_TIMER_NONE;
}

static void before_nothing(void *arg)
{
    (void)arg;
}

static int call_null(void *arg)
{
    osw_cuda_nothing(osw_cuda_of(arg)->stream);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static double floor_of(struct osw_device *dev, uint32_t n_calls)
{
    float samples[FLOOR_SAMPLES];
    struct osw_timing ask = {.n_samples = FLOOR_SAMPLES,
                             .n_inner = n_calls,
                             .key = UINT64_MAX,
                             .before = before_nothing,
                             .call = call_null,
                             .arg = dev};
    int code;

    if (osw_cuda_time(dev, &ask, samples, &code) == OSW_TIMER_NONE)
        return 0;
    qsort(samples, FLOOR_SAMPLES, sizeof(samples[0]), by_value);
    return (double)samples[FLOOR_SAMPLES / 2];
}

void osw_cuda_floors(struct osw_device *dev, double *empty_ns, double *null_ns)
{
    *empty_ns = floor_of(dev, 0);
    *null_ns = floor_of(dev, 1);
}
