/* worker/judge/pool.c - the sandboxes of one worker */
#include "worker/judge/pool.h"

#include <stdio.h>
#include <string.h>

#include "worker/hash.h"

#define START_NS INT64_C(10000000000)

/* Fits box->file whatever the paths' lengths. */
static void make_key(char key[64], const struct osw_load *load,
                     const char *source)
{
    snprintf(
        key, 64, "%016llx %016llx",
        (unsigned long long)osw_hash_bytes(source, strlen(source), 1),
        (unsigned long long)osw_hash_bytes(load->path, strlen(load->path), 1));
}

static struct osw_box **find(struct osw_pool *pool, const char *key)
{
    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i] && strcmp(pool->boxes[i]->file, key) == 0)
            return &pool->boxes[i];
    return NULL;
}

static void drop(struct osw_box **place)
{
    osw_box_destroy(*place);
    *place = NULL;
}

/* A free place, or that of the least recently used box. */
static struct osw_box **make_room(struct osw_pool *pool)
{
    struct osw_box **oldest = &pool->boxes[0];

    for (int i = 0; i < OSW_POOL_BOXES; i++) {
        if (!pool->boxes[i])
            return &pool->boxes[i];
        if (pool->boxes[i]->last_used < (*oldest)->last_used)
            oldest = &pool->boxes[i];
    }
    drop(oldest);
    return oldest;
}

void osw_pool_prepare(struct osw_pool *pool)
{
    if (!pool->standby)
        pool->standby = osw_box_start(&pool->env, NULL);
}

void osw_pool_settle(struct osw_pool *pool)
{
    osw_pool_prepare(pool);
    if (pool->standby && osw_box_await(pool->standby, START_NS) < 0)
        drop(&pool->standby);
}

static struct osw_box *take_standby(struct osw_pool *pool,
                                    struct osw_error *err)
{
    struct osw_box *box = pool->standby;

    pool->standby = NULL;
    return box ? box : osw_box_start(&pool->env, err);
}

struct osw_box *osw_pool_get(struct osw_pool *pool, const struct osw_load *load,
                             const char *source, int64_t deadline_ns,
                             struct osw_box_end *end, struct osw_error *err)
{
    struct osw_box **place;
    char key[64];

    end->state = OSW_STATE_NONE;
    osw_pool_sweep(pool);
    make_key(key, load, source);
    place = find(pool, key);
    if (!place) {
        place = make_room(pool);
        *place = take_standby(pool, err);
        if (!*place)
            return NULL;
        if (osw_box_load(*place, load, deadline_ns, err) < 0) {
            if (!osw_box_alive(*place))
                *end = (*place)->end;
            drop(place);
            return NULL;
        }
        memcpy((*place)->file, key, sizeof(key));
        osw_pool_prepare(pool);
    }
    (*place)->last_used = ++pool->uses;
    return *place;
}

void osw_pool_drop(struct osw_pool *pool, struct osw_box *box)
{
    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i] == box)
            drop(&pool->boxes[i]);
}

void osw_pool_sweep(struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i] && !osw_box_alive(pool->boxes[i]))
            drop(&pool->boxes[i]);
}

void osw_pool_clear(struct osw_pool *pool)
{
    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i])
            drop(&pool->boxes[i]);
}

void osw_pool_close(struct osw_pool *pool)
{
    osw_pool_clear(pool);
    osw_box_destroy(pool->standby);
    pool->standby = NULL;
}

void osw_pool_trim(struct osw_pool *pool)
{
    struct osw_device *dev = pool->env.device;
    uint64_t total = 0;

    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i])
            total += pool->boxes[i]->high_water;
    if (total <= pool->keep_bytes)
        return;
    for (int i = 0; i < OSW_POOL_BOXES; i++)
        if (pool->boxes[i]) {
            dev->ops->map_release(dev, &pool->boxes[i]->arena, 0);
            pool->boxes[i]->high_water = 0;
        }
}
