/* worker/judge/process/pool.c - the sandboxes of one worker */
#include "worker/judge/process/pool.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/clock.h"
#include "worker/hash.h"

#define PAUSE_NS INT64_C(100000000)

enum { TRIES = 5 }; /* of a first standby */

static uint64_t symbol_of(const struct osw_load *load)
{
    return osw_hash_bytes(load->symbol, strlen(load->symbol),
                          osw_hash_bytes(load->path, strlen(load->path), 1));
}

/* Fits sandbox->file whatever the paths' lengths.  A shared file's sandbox is
 * the same for all symbols, and that of references for all shared objects.
 */
static void make_key(char key[64], const struct osw_load *load,
                     const char *source)
{
    if (load->shared && load->reference && !osw_pool_is_python(load->path)) {
        snprintf(key, 64, "references");
        return;
    }
    snprintf(
        key, 64, "%016llx %016llx",
        (unsigned long long)osw_hash_bytes(source, strlen(source), 1),
        (unsigned long long)osw_hash_bytes(load->path, strlen(load->path),
                                           load->shared ? 0 : symbol_of(load)));
}

/* A shared sandbox that works for another symbol must not be taken. */
static struct osw_sandbox **find(struct osw_pool *pool,
                                 const struct osw_load *load, const char *key)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++) {
        const struct osw_sandbox *sandbox = pool->sandboxes[i];

        if (sandbox && strcmp(sandbox->file, key) == 0 &&
            (sandbox->symbol == symbol_of(load) || !sandbox->pinned))
            return &pool->sandboxes[i];
    }
    return NULL;
}

/* Give the new sandbox in a place an id that none had before. */
static void give_id(struct osw_pool *pool, struct osw_sandbox **place)
{
    uint32_t i = (uint32_t)(place - pool->sandboxes);

    (*place)->id = (struct osw_sandbox_id){i, ++pool->generations[i]};
}

struct osw_sandbox *osw_pool_find(const struct osw_pool *pool,
                                  struct osw_sandbox_id id)
{
    struct osw_sandbox *sandbox = id.generation && id.place < OSW_POOL_SANDBOXES
                                      ? pool->sandboxes[id.place]
                                      : NULL;

    return osw_sandbox_alive(sandbox) && osw_sandbox_same(sandbox->id, id)
               ? sandbox
               : NULL;
}

void osw_pool_still(const struct osw_pool *pool,
                    const struct osw_sandbox_id *but, size_t n)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++) {
        const struct osw_sandbox *sandbox = pool->sandboxes[i];
        bool goes_on = !sandbox || sandbox->n_asked > 0; /* loads, say */

        for (size_t k = 0; k < n && !goes_on; k++)
            goes_on = osw_sandbox_same(sandbox->id, but[k]);
        if (!goes_on)
            osw_sandbox_stop(sandbox);
    }
}

void osw_pool_go_on(const struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i])
            osw_sandbox_continue(pool->sandboxes[i]);
}

static void drop(struct osw_sandbox **place)
{
    osw_sandbox_destroy(*place);
    *place = NULL;
}

static void note_end(struct osw_pool *pool, const struct osw_sandbox *sandbox)
{
    if (!osw_sandbox_alive(sandbox) && sandbox->end.signal == SIGKILL)
        pool->killed_ns = osw_clock_ns();
}

/* The least recently used sandbox that may be ended; NULL: none may. */
static struct osw_sandbox **find_oldest(struct osw_pool *pool,
                                        const struct osw_sandbox *spared)
{
    struct osw_sandbox **oldest = NULL;

    for (int i = 0; i < OSW_POOL_SANDBOXES; i++) {
        struct osw_sandbox **at = &pool->sandboxes[i];

        if (*at && !(*at)->pinned && *at != spared &&
            (!oldest || (*at)->last_used < (*oldest)->last_used))
            oldest = at;
    }
    return oldest;
}

bool osw_pool_shrink(struct osw_pool *pool, const struct osw_sandbox *spared)
{
    struct osw_sandbox **oldest = find_oldest(pool, spared);

    if (!oldest)
        return false;
    drop(oldest);
    pool->ended_ns = osw_clock_ns();
    return true;
}

/* A free place; at most two sandboxes are pinned, so there is one in the end.
 */
static struct osw_sandbox **make_room(struct osw_pool *pool)
{
    for (;;) {
        for (uint32_t i = 0; i < pool->n_sandboxes; i++)
            if (!pool->sandboxes[i])
                return &pool->sandboxes[i];
        osw_pool_shrink(pool, NULL);
    }
}

/* As many as files are still to be loaded, and one to replace a sandbox that
 * dies; more than one once a sandbox died.  Starting all together, at the
 * beginning, disturbs timings the least.
 */
static uint32_t n_wanted(const struct osw_pool *pool)
{
    uint32_t n = pool->n_files && !pool->has_died ? 1 : pool->n_standby;

    if (pool->n_files > pool->n_loaded)
        n = pool->n_files - pool->n_loaded + 1;
    return n < pool->n_ahead ? n : pool->n_ahead;
}

void osw_pool_prepare(struct osw_pool *pool)
{
    /* Orphans of op code become our children: copies.h finds them there. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (uint32_t i = 0; i < n_wanted(pool); i++)
        if (!pool->standbys[i])
            pool->standbys[i] = osw_sandbox_start(&pool->env, NULL);
}

void osw_pool_settle(struct osw_pool *pool)
{
    osw_pool_prepare(pool);
    for (uint32_t i = 0; i < OSW_POOL_STANDBYS; i++)
        if (pool->standbys[i] &&
            osw_sandbox_await(pool->standbys[i], OSW_SANDBOX_START_NS) < 0)
            drop(&pool->standbys[i]);
    if (pool->python_standby &&
        osw_sandbox_await(pool->python_standby, OSW_SANDBOX_START_NS) < 0)
        drop(&pool->python_standby);
}

static void drop_ended(struct osw_sandbox **place)
{
    if (*place && osw_sandbox_has_ended(*place))
        drop(place);
}

struct osw_sandbox *osw_pool_first(struct osw_pool *pool)
{
    struct osw_sandbox **first = &pool->standbys[0];

    for (uint32_t i = 1;
         *first && osw_sandbox_await(*first, OSW_SANDBOX_START_NS) < 0 &&
         (*first)->end.state != OSW_STATE_TIMEOUT && i < TRIES;
         i++) {
        osw_clock_sleep_ns(PAUSE_NS << i);
        drop(first);
        for (uint32_t k = 1; k < OSW_POOL_STANDBYS; k++)
            drop_ended(&pool->standbys[k]);
        osw_pool_prepare(pool);
    }
    return *first;
}

/* The oldest one, which is ready first.  Those that ended meanwhile are freed.
 */
static struct osw_sandbox *take_standby(struct osw_pool *pool,
                                        struct osw_error *err)
{
    struct osw_sandbox *sandbox = NULL;

    for (uint32_t i = 0; i < OSW_POOL_STANDBYS; i++)
        drop_ended(&pool->standbys[i]);
    for (uint32_t i = 0; i < OSW_POOL_STANDBYS && !sandbox; i++) {
        sandbox = pool->standbys[i];
        pool->standbys[i] = NULL;
    }
    for (uint32_t i = 0, kept = 0; i < OSW_POOL_STANDBYS; i++)
        if (pool->standbys[i]) {
            struct osw_sandbox *moved = pool->standbys[i];

            pool->standbys[i] = NULL;
            pool->standbys[kept++] = moved;
        }
    return sandbox ? sandbox : osw_sandbox_start(&pool->env, err);
}

bool osw_pool_is_python(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* May a Python file take arrays of torch (choose_arrays() in opsweep_host.py)?
 * Not if it speaks of numpy and of nothing that comes with torch.
 */
static bool may_need_torch(const char *path)
{
    enum { NUMPY = 1 };
    static const char *const words[] = {"numpy", "torch", "triton"};

    return osw_zygote_mentions(path, words, 3) != NUMPY;
}

/* `path`: a file for it; NULL: a device's, any */
static struct osw_sandbox *start_python(struct osw_pool *pool,
                                        const struct osw_sandbox_env *env,
                                        const char *path, struct osw_error *err)
{
    bool torch = pool->zygote.torch || !path || may_need_torch(path);

    return osw_zygote_start(&pool->zygote, env, torch, err);
}

/* A device's context takes long to make: start the next one now. */
static struct osw_sandbox *take_python(struct osw_pool *pool, const char *path,
                                       const char *device,
                                       struct osw_error *err)
{
    bool own = strcmp(device, pool->env.device->ops->kind) == 0;
    struct osw_sandbox *sandbox = NULL;

    if (!pool->python.python) {
        osw_fail(err, OSW_BAD_INPUT, "%s", pool->python_missing.text);
        return NULL;
    }
    if (own) {
        drop_ended(&pool->python_standby);
        sandbox = pool->python_standby;
        pool->python_standby = NULL;
    }
    if (!sandbox)
        sandbox = start_python(pool, own ? &pool->python : &pool->python_host,
                               path, err);
    if (own && sandbox && pool->env.device->ops->own_memory)
        pool->python_standby = start_python(pool, &pool->python, NULL, NULL);
    return sandbox;
}

void osw_pool_prepare_python(struct osw_pool *pool)
{
    if (pool->python.python && !pool->python_standby &&
        pool->env.device->ops->own_memory)
        pool->python_standby = start_python(pool, &pool->python, NULL, NULL);
}

static struct osw_sandbox *take_sandbox(struct osw_pool *pool, const char *path,
                                        const char *device,
                                        struct osw_error *err)
{
    if (osw_pool_is_python(path))
        return take_python(pool, path, device, err);
    return strcmp(device, pool->env.device->ops->kind) == 0
               ? take_standby(pool, err)
               : osw_sandbox_start(&pool->host, err);
}

bool *osw_pool_none_starts(struct osw_pool *pool, const struct osw_load *load)
{
    bool own = strcmp(load->device, pool->env.device->ops->kind) == 0;

    return &pool->none_starts[osw_pool_is_python(load->path)][own];
}

/* A sandbox that is loading the file; NULL: as osw_pool_get.  During the first
 * load of all files, each load waits until its sandbox is ready: all sandboxes
 * are being started, and a device starts one after the other.  Later a sandbox
 * that replaces another one is not waited for.
 */
static struct osw_sandbox **
begin(struct osw_pool *pool, const struct osw_load *load, const char key[64],
      int64_t deadline_ns, struct osw_sandbox_end *end, struct osw_error *err)
{
    struct osw_sandbox **place = make_room(pool);
    bool first = pool->n_loaded < pool->n_files;

    *place = take_sandbox(pool, load->path, load->device, err);
    if (!*place || osw_sandbox_begin_load(*place, load, err) < 0 ||
        (first && osw_sandbox_await(*place, deadline_ns) < 0)) {
        if (*place && !osw_sandbox_alive(*place))
            *end = (*place)->end;
        else
            end->early = err->status != OSW_BAD_INPUT;
        drop(place);
        return NULL;
    }
    give_id(pool, place);
    memcpy((*place)->file, key, sizeof((*place)->file));
    (*place)->last_used = ++pool->uses;
    (*place)->shared = load->shared;
    (*place)->symbol = symbol_of(load);
    pool->n_loaded += (*place)->env == &pool->env;
    osw_pool_prepare(pool);
    return place;
}

void osw_pool_ask(struct osw_pool *pool, const struct osw_load *load,
                  const char *source, int64_t deadline_ns)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_end end;
    char key[64];

    make_key(key, load, source);
    if (!find(pool, load, key))
        (void)begin(pool, load, key, deadline_ns, &end, &err);
}

/* Of this symbol. */
static int make_loaded(struct osw_sandbox *sandbox, const struct osw_load *load,
                       int64_t deadline_ns, struct osw_error *err)
{
    if (!sandbox->loaded && osw_sandbox_end_load(sandbox, deadline_ns, err) < 0)
        return -1;
    if (sandbox->symbol == symbol_of(load))
        return 0;
    sandbox->symbol = symbol_of(load);
    sandbox->n_before++;
    return osw_sandbox_load_again(sandbox, load, deadline_ns, err);
}

struct osw_sandbox *osw_pool_get(struct osw_pool *pool,
                                 const struct osw_load *load,
                                 const char *source, int64_t deadline_ns,
                                 struct osw_sandbox_end *end,
                                 struct osw_error *err)
{
    struct osw_sandbox **place;
    char key[64];

    *end = (struct osw_sandbox_end){.state = OSW_STATE_NONE};
    osw_pool_sweep(pool);
    make_key(key, load, source);
    place = find(pool, load, key);
    if (!place)
        place = begin(pool, load, key, deadline_ns, end, err);
    if (!place)
        return NULL;
    while (make_loaded(*place, load, deadline_ns, err) < 0) {
        bool others = (*place)->n_before > 0; /* they may be the cause */

        if (!osw_sandbox_alive(*place))
            *end = (*place)->end;
        drop(place);
        if (!others)
            return NULL;
        *end = (struct osw_sandbox_end){.state = OSW_STATE_NONE};
        place = begin(pool, load, key, deadline_ns, end, err);
        if (!place)
            return NULL;
    }
    *osw_pool_none_starts(pool, load) = false;
    (*place)->last_used = ++pool->uses;
    return *place;
}

void osw_pool_drop(struct osw_pool *pool, struct osw_sandbox_id id)
{
    pool->ended_ns = osw_clock_ns();
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i] &&
            osw_sandbox_same(pool->sandboxes[i]->id, id)) {
            note_end(pool, pool->sandboxes[i]);
            drop(&pool->sandboxes[i]);
        }
}

void osw_pool_sweep(struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i] && !osw_sandbox_alive(pool->sandboxes[i])) {
            note_end(pool, pool->sandboxes[i]);
            drop(&pool->sandboxes[i]);
            pool->has_died = true;
        }
}

void osw_pool_clear(struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i])
            drop(&pool->sandboxes[i]);
}

void osw_pool_turn(struct osw_pool *pool)
{
    pool->ended_ns = osw_clock_ns();
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i] && !pool->sandboxes[i]->shared)
            drop(&pool->sandboxes[i]);
}

/* With all that a sandbox started. */
static void kill_group(const struct osw_sandbox *sandbox)
{
    if (sandbox && sandbox->pid)
        (void)kill(-sandbox->pid, SIGKILL);
}

void osw_pool_kill(const struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        kill_group(pool->sandboxes[i]);
    for (int i = 0; i < OSW_POOL_STANDBYS; i++)
        kill_group(pool->standbys[i]);
    kill_group(pool->python_standby);
    kill_group(pool->zygote.sandbox);
}

void osw_pool_close(struct osw_pool *pool)
{
    osw_pool_kill(pool); /* all together: a device ends processes slowly */
    osw_pool_clear(pool);
    for (int i = 0; i < OSW_POOL_STANDBYS; i++)
        if (pool->standbys[i])
            drop(&pool->standbys[i]);
    drop(&pool->python_standby);
    osw_zygote_end(&pool->zygote);
}

void osw_pool_trim(struct osw_pool *pool)
{
    uint64_t total = 0;

    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i])
            total += pool->sandboxes[i]->high_water;
    if (total <= pool->keep_bytes)
        return;
    for (int i = 0; i < OSW_POOL_SANDBOXES; i++)
        if (pool->sandboxes[i] && pool->sandboxes[i]->high_water > 0) {
            osw_device_cpu_ops.map_release(NULL, &pool->sandboxes[i]->window,
                                           0);
            pool->sandboxes[i]->high_water = 0;
        }
}
