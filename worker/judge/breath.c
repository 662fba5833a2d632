/* worker/judge/breath.c - long work on memory lets the worker speak in between
 */
#include "worker/judge/breath.h"

#include <stddef.h>

_Thread_local int64_t osw_breath_left = OSW_BREATH_EVERY;

static _Thread_local struct {
    void (*tick)(void *arg);
    void *arg;
} here;

void osw_breath_set(void (*tick)(void *arg), void *arg)
{
    here.tick = tick;
    here.arg = arg;
}

void osw_breath_take(void)
{
    osw_breath_left = OSW_BREATH_EVERY;
    if (here.tick)
        here.tick(here.arg);
}
