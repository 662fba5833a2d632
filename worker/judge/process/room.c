/* worker/judge/process/room.c - memory of a device that others may hold
 *
 * The device memory that op code takes cannot be limited, but it is freed when
 * the process ends.  So when the judge or another sandbox finds no memory, idle
 * sandboxes are ended, and the judge waits until their memory is free.
 */
#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/judge.h"

/* Less free memory of a device is short. */
#define SHORT_BYTES (UINT64_C(2) << 30)
/* How long to wait for the memory of killed processes: GONE when other
 * processes may hold it too, ALL after the last kill, MEMORY when the judge
 * cannot go on without it.
 */
#define GONE_NS     INT64_C(200000000)
#define ALL_NS      INT64_C(1000000000)
#define MEMORY_NS   INT64_C(5000000000)

enum { MEMORY_POLL_US = 5000, WAITED = UINT32_MAX };

static bool has(const struct osw_judge *judge, uint64_t bytes)
{
    return judge->device->ops->available(judge->device) >= bytes;
}

bool osw_judge_is_short(const struct osw_judge *judge)
{
    return judge->device->ops->own_memory && !has(judge, SHORT_BYTES);
}

static void await_bytes(const struct osw_judge *judge, uint64_t bytes,
                        int64_t ns)
{
    int64_t end = osw_clock_ns() + ns;

    while (!has(judge, bytes) && osw_clock_ns() < end) {
        if (judge->config.tick)
            judge->config.tick(judge->config.tick_arg);
        usleep(MEMORY_POLL_US);
    }
}

void osw_judge_await_room(const struct osw_judge *judge)
{
    if (judge->device->ops->own_memory)
        await_bytes(judge, SHORT_BYTES, MEMORY_NS);
}

/* End one sandbox and wait for its memory, for GONE_NS at most.  After the last
 * one, which may have ended just before, wait for ALL_NS at most.  False: there
 * was nothing to end, or the device is too small.
 */
static bool make_room(struct osw_judge *judge, const struct osw_sandbox *spared,
                      uint64_t bytes, uint32_t *n_gone)
{
    const struct osw_device *dev = judge->device;

    if (!dev->ops->own_memory || *n_gone == WAITED ||
        (bytes > SHORT_BYTES && bytes > dev->memory_bytes))
        return false;
    if (osw_pool_shrink(&judge->pool, spared)) {
        (*n_gone)++;
        await_bytes(judge, bytes, GONE_NS);
        return true;
    }
    if (*n_gone == 0 && osw_clock_ns() - judge->pool.ended_ns > ALL_NS)
        return false;
    *n_gone = WAITED;
    await_bytes(judge, bytes, ALL_NS);
    return true;
}

bool osw_judge_make_room(void *arg, uint64_t bytes, uint32_t *n_gone)
{
    return make_room(arg, NULL, bytes, n_gone);
}

bool osw_judge_relieve(void *arg, const struct osw_sandbox *sandbox)
{
    struct osw_judge *judge = arg;

    if (!osw_judge_is_short(judge))
        return false;
    while (osw_pool_shrink(&judge->pool, sandbox))
        ;
    if (osw_clock_ns() - judge->pool.ended_ns > ALL_NS)
        return false;
    await_bytes(judge, SHORT_BYTES, ALL_NS);
    return !osw_judge_is_short(judge);
}

int osw_judge_ensure_bytes(void *arg, struct osw_sandbox *sandbox,
                           enum osw_zone zone, uint64_t bytes,
                           struct osw_error *err)
{
    struct osw_judge *judge = arg;
    uint32_t n_gone = 0;

    for (;;) {
        struct osw_error why = OSW_ERROR_INIT;

        if (osw_sandbox_ensure_bytes(sandbox, zone, bytes,
                                     osw_judge_load_deadline(judge), &why) == 0)
            return 0;
        if (osw_sandbox_alive(sandbox) && why.status == OSW_NO_MEMORY &&
            zone == OSW_ZONE_ARENA && make_room(judge, sandbox, bytes, &n_gone))
            continue;
        if (err)
            *err = why;
        return -1;
    }
}
