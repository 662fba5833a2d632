/* worker/worker.c - a worker: opened, asked for verdicts, closed */
#include "worker/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/kernel/control_group.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "worker/device_check.h"
#include "worker/health.h"
#include "worker/isolation.h"
#include "worker/judge/batch/batch.h"
#include "worker/judge/batch/batch_cases.h"
#include "worker/judge/judge.h"
#include "worker/judge/memory/heartbeat.h"
#include "worker/judge/process/watch.h"
#include "worker/judge/timing/token.h"
#include "worker/launch_floor.h"
#include "worker/scratch.h"
#include "worker/slot.h"
#include "worker/slot_device.h"

enum {
    KEEP_BYTES = 256 * 1024 * 1024,
    DEVICE_WINDOW = 8 * 1024 * 1024, /* small cases only */
    LEAST_BOXES = 8,
    FIRST_STANDBYS = 3,
    CONTEXT_BYTES = 640 * 1024 * 1024, /* of a process on a GPU */
};
#define FALLBACK_MAX_BYTES (UINT64_C(1) << 30)

uint32_t osw_worker_n_threads(const struct osw_worker_config *config)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long n = cores / (config->n_local > 0 ? config->n_local : 1);

    if (config->n_threads)
        return config->n_threads;
    return n > 1 ? (uint32_t)n : 1;
}

/* Of the host's memory that op code may hold: what is left is for references,
 * the judge and others.
 */
static uint64_t ceiling_of(const struct osw_worker_config *config)
{
    uint64_t n = config->n_local > 0 ? (uint64_t)config->n_local : 1;

    return config->max_rss ? config->max_rss
                           : osw_memory_left_bytes() / n / 4 * 3;
}

/* More workers than devices?  A launcher that shows each rank its own device
 * says so in the environment: then one that is seen is the rank's own.
 */
static bool is_crowded(const struct osw_judge *judge, size_t n)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    return !judge->config.share_devices &&
           osw_device_find(judge->config.device)->own_memory &&
           judge->config.n_local > 0 && (size_t)judge->config.n_local > n &&
           !(n == 1 && visible && visible[0]);
}

static bool has_own_memory(const struct osw_worker_config *config)
{
    const struct osw_device_ops *ops = osw_device_find(config->device);

    return ops && ops->own_memory;
}

/* Its own device, as many as there are: one rank each, in the order of ranks
 * on the node; a launcher may have given each rank its own to see.
 */
static int open_device(struct osw_judge *judge, struct osw_error *err)
{
    const struct osw_device_ops *ops = osw_device_find(judge->config.device);
    size_t n = 0;

    if (!ops)
        return osw_fail(err, OSW_BAD_INPUT, "no device of kind '%s' here: %s",
                        judge->config.device,
                        osw_device_missing(judge->config.device));
    if (osw_device_check_begin(ops, judge->config.local_index,
                               judge->config.info, err) < 0 ||
        ops->count(&n, err) < 0)
        return -1;
    if (n == 0)
        return osw_fail(err, OSW_BAD_INPUT, "no device of kind '%s' here",
                        judge->config.device);
    if (is_crowded(judge, n))
        return osw_fail(err, OSW_BAD_INPUT,
                        "%d workers on this node for %zu device%s of kind '%s' "
                        "(--share-gpus lets them share)",
                        (int)judge->config.n_local, n, osw_plural(n),
                        ops->kind);
    if (ops->open((int)((size_t)judge->config.local_index % n), &judge->device,
                  err) < 0 ||
        osw_device_check_ask(judge->device, judge->config.info, &judge->nvml,
                             &judge->gpu, err) < 0)
        return -1;
    if (ops->own_memory)
        osw_slot_device_enter(ops, judge->nvml, n, judge->config.local_index,
                              judge->config.n_local,
                              osw_worker_n_threads(&judge->config));
    osw_launch_floor_find(&judge->config, judge->device, judge->config.info);
    if (!ops->own_memory)
        judge->host = judge->device;
    else if (osw_device_cpu_ops.open(0, &judge->host, err) < 0)
        return -1;
    return 0;
}

/* Standbys for files that are to come: each has a context on a device. */
static uint32_t n_ahead_of(const struct osw_device *dev, uint32_t wish)
{
    uint32_t n = wish < dev->ops->n_ahead ? wish : dev->ops->n_ahead;
    uint64_t room = dev->memory_bytes / 8 / CONTEXT_BYTES;

    if (!dev->ops->own_memory || n <= room)
        return n;
    return room > 1 ? (uint32_t)room : 1;
}

/* All start at the beginning where that keeps starts out of what is timed;
 * elsewhere contexts that are made together hold up the first calls.
 */
static uint32_t n_ahead_wish(const struct osw_judge *judge)
{
    const struct osw_profile *profile = judge->config.profile;
    const struct osw_device_ops *ops = judge->device->ops;

    return profile && !profile->time ? ops->n_standby : ops->n_ahead;
}

/* How many workers of this node use the same device, at most. */
static uint64_t sharers_of(const struct osw_worker_config *config,
                           const struct osw_device *dev)
{
    struct osw_error unused = OSW_ERROR_INIT;
    uint64_t n_local = config->n_local > 0 ? (uint64_t)config->n_local : 1;
    size_t n = 0;

    if (!config->share_devices || dev->ops->count(&n, &unused) < 0 || n == 0)
        return 1;
    return (n_local + n - 1) / n;
}

/* How many sandboxes may be kept: each has a context on a device, in a half of
 * its memory that all workers share.
 */
static uint32_t places_of(const struct osw_worker_config *config,
                          struct osw_device *dev)
{
    uint64_t n =
        dev->ops->available(dev) / 2 / CONTEXT_BYTES / sharers_of(config, dev);

    if (!dev->ops->own_memory || n > OSW_POOL_SANDBOXES)
        return OSW_POOL_SANDBOXES;
    return n < LEAST_BOXES ? LEAST_BOXES : (uint32_t)n;
}

/* Scratch memory comes on top of what the plan counted; only touched pages of
 * the host's memory cost anything.
 */
static int open_places(struct osw_judge *judge, struct osw_error *err)
{
    uint64_t max =
        judge->config.max_bytes ? judge->config.max_bytes : FALLBACK_MAX_BYTES;
    bool own = judge->device->ops->own_memory;
    uint64_t ceiling = ceiling_of(&judge->config);
    struct osw_sandbox_env env = {
        .device = judge->host,
        .sandbox_path = judge->config.sandbox_path,
        .work_dir = judge->work_dir,
        .window_bytes = 2 * max + (UINT64_C(1) << 28),
        .max_rss = ceiling,
        .n_threads = osw_worker_n_threads(&judge->config),
        .tick = judge->config.tick,
        .tick_arg = judge->config.tick_arg,
    };

    osw_reaper_set_ceiling(ceiling);
    judge->pool.host = judge->pool.env = env;
    judge->pool.env.device = judge->device;
    if (own)
        judge->pool.env.window_bytes = DEVICE_WINDOW;
    judge->pool.python = judge->pool.env;
    judge->pool.python_host = judge->pool.host;
    judge->pool.python.python = judge->pool.python_host.python =
        osw_paths_python(judge->config.python, &judge->pool.python_missing);
    judge->pool.zygote.env = judge->pool.python;
    judge->pool.zygote.env.zygote = true;
    judge->pool.keep_bytes = KEEP_BYTES;
    /* What the first op needs starts beside the judge itself.  The others would
     * only hold it up: a driver makes contexts one after the other, a step of
     * each at a time, so that of many all are late.
     */
    judge->pool.n_standby = judge->device->ops->n_standby;
    judge->pool.n_files = judge->config.n_files;
    judge->pool.n_ahead = n_ahead_of(judge->device, FIRST_STANDBYS);
    osw_pool_prepare(&judge->pool);
    if (judge->device->ops->wake(judge->device, err) < 0)
        return osw_device_check_unfit(judge->config.info, err);
    judge->pool.n_ahead = n_ahead_of(judge->device, n_ahead_wish(judge));
    osw_pool_prepare(&judge->pool);
    if (osw_device_check_try(judge->device, judge->config.info, err) < 0)
        return -1;
    judge->pool.n_sandboxes = places_of(&judge->config, judge->device);
    if (osw_place_open(&judge->places[OSW_ZONE_WINDOW], OSW_ZONE_WINDOW,
                       judge->host, max, err) < 0)
        return -1;
    if (!own)
        return 0;
    if (osw_place_open(&judge->places[OSW_ZONE_ARENA], OSW_ZONE_ARENA,
                       judge->device, max, err) < 0)
        return -1;
    judge->places[OSW_ZONE_ARENA].make_room = osw_judge_make_room;
    judge->places[OSW_ZONE_ARENA].make_room_arg = judge;
    return 0;
}

/* What it takes to see later whether the device is still sound. */
static int prepare_proof(struct osw_judge *judge, struct osw_error *err)
{
    if (judge->nvml && judge->gpu.handle)
        (void)!osw_nvml_watch(judge->nvml, &judge->gpu, NULL);
    return judge->device->ops->map_private(judge->device, OSW_CANARY_BYTES,
                                           &judge->canary, err);
}

int osw_worker_prove(osw_worker_t *worker, struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;

    return osw_device_check_still(judge->device, judge->nvml, &judge->gpu,
                                  judge->canary.base, err);
}

/* Can sandboxes use the device, where its memory goes from hand to hand?  One
 * that does not even start may have had others in its way.
 */
static int share_fit(struct osw_judge *judge, struct osw_error *err)
{
    struct osw_sandbox *first =
        judge->device->ops->own_memory ? osw_pool_first(&judge->pool) : NULL;

    return first ? osw_device_check_share(first, judge->config.info, err) : 0;
}

osw_worker_t *osw_worker_create(const struct osw_worker_config *config,
                                struct osw_error *err)
{
    osw_worker_t *worker = calloc(1, sizeof(*worker));
    struct osw_judge *judge;

    if (!worker) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a worker");
        return NULL;
    }
    judge = &worker->judge;
    judge->config = *config;
    judge->config.info = &worker->info; /* the caller's may be gone later */
    osw_device_info_init(judge->config.info);
    judge->token_fd = judge->work_fd = judge->canary.fd = -1;
    osw_reaper_start(config->sandbox_path);
    osw_isolation_close(osw_isolation_level(getenv("OPSWEEP_ISOLATION")));
    (void)osw_watch_oom(); /* ignore out-of-memory kills from before */
    /* Near a device only once the driver was asked where that is. */
    if (!has_own_memory(config))
        osw_slot_enter(config->local_index, config->n_local,
                       osw_worker_n_threads(config));
    osw_heartbeat_set(config->tick, config->tick_arg);
    judge->random = (uint64_t)osw_clock_ns() | 1;
    judge->case_memory = osw_arena_create();
    judge->op_memory = osw_arena_create();
    if (!judge->case_memory || !judge->op_memory)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a worker");
    else if ((judge->work_fd = osw_scratch_open(
                  judge->work_dir, sizeof(judge->work_dir), err)) >= 0 &&
             open_device(judge, err) == 0 && open_places(judge, err) == 0 &&
             share_fit(judge, err) == 0 && prepare_proof(judge, err) == 0)
        judge->token_fd = osw_token_open(err);
    if (judge->token_fd >= 0 && config->op_db)
        osw_judge_ask_op_db(judge);
    if (config->info)
        *config->info = worker->info;
    if (judge->token_fd < 0) {
        osw_worker_destroy(worker);
        return NULL;
    }
    return worker;
}

void osw_worker_expect(osw_worker_t *worker, uint32_t n_files)
{
    worker->judge.pool.n_files = n_files;
    osw_pool_prepare(&worker->judge.pool);
}

void osw_worker_rest(osw_worker_t *worker)
{
    osw_judge_forget_op(&worker->judge);
    worker->judge.config.since_unix_ns = osw_clock_unix_ns();
    for (int i = 0; i < OSW_N_ZONES; i++)
        osw_place_rest(&worker->judge.places[i]);
}

static void remove_work_dir(const struct osw_judge *judge)
{
    osw_scratch_close(judge->work_fd, judge->work_dir);
}

void osw_worker_abandon(osw_worker_t *worker)
{
    osw_pool_kill(&worker->judge.pool);
    remove_work_dir(&worker->judge);
}

void osw_worker_destroy(osw_worker_t *worker)
{
    struct osw_judge *judge;

    if (!worker)
        return;
    judge = &worker->judge;
    osw_heartbeat_set(NULL, NULL);
    osw_pool_close(&judge->pool);
    for (int i = 0; i < OSW_N_ZONES; i++)
        osw_place_close(&judge->places[i]);
    if (judge->host != judge->device)
        osw_device_cpu_ops.close(judge->host);
    if (judge->canary.base)
        judge->device->ops->map_destroy(judge->device, &judge->canary);
    if (judge->device)
        judge->device->ops->close(judge->device);
    osw_nvml_close(judge->nvml);
    osw_token_close(judge->token_fd);
    osw_arena_destroy(judge->case_memory);
    osw_arena_destroy(judge->op_memory);
    for (int i = 0; i < OSW_JUDGE_BATCHES; i++)
        osw_arena_destroy(judge->batch_memory[i]);
    free(judge->results);
    remove_work_dir(judge);
    osw_reaper_stop();
    free(worker);
}

/* Where verdicts go, as long as they are any. */
struct outlet {
    const struct osw_judge *judge;
    void (*emit)(void *arg, const struct osw_record *record);
    void *arg;
};

static void emit_able(void *arg, const struct osw_record *record)
{
    const struct outlet *o = arg;

    if (o->judge->unable.status == OSW_OK)
        o->emit(o->arg, record);
}

int osw_worker_run(osw_worker_t *worker, const struct osw_bundle *bundles,
                   uint32_t n,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg, struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;
    struct outlet outlet = {judge, emit, arg};

    for (uint32_t i = 0, k; i < n && !osw_judge_stops(judge); i += k) {
        int rc;

        k = judge->config.one_by_one
                ? 0
                : osw_batch_count(judge, bundles + i, n - i);
        if (k > 0)
            rc = osw_batch_run(judge, bundles + i, k, emit_able, &outlet, err);
        else
            rc = osw_judge_bundle(judge, bundles + i, emit_able, &outlet, err);
        if (rc < 0)
            return -1;
        if (judge->unable.status != OSW_OK)
            return osw_fail(err, judge->unable.status, "%s",
                            judge->unable.text);
        k = k > 0 ? k : 1;
    }
    return 0;
}
