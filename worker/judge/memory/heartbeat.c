/* worker/judge/memory/heartbeat.c - heartbeats during long work on memory */
#include "worker/judge/memory/heartbeat.h"

#include <stddef.h>

_Thread_local int64_t osw_heartbeat_left = OSW_HEARTBEAT_EVERY;

static _Thread_local struct {
    void (*tick)(void *arg);
    void *arg;
} here;

void osw_heartbeat_set(void (*tick)(void *arg), void *arg)
{
    here.tick = tick;
    here.arg = arg;
}

void osw_heartbeat_take(void)
{
    osw_heartbeat_left = OSW_HEARTBEAT_EVERY;
    if (here.tick)
        here.tick(here.arg);
}
