/* worker/judge/memory/heartbeat.h - long work on memory lets the worker speak
 * in between
 *
 * To fill or to compare gigabytes takes a processor longer than a worker may be
 * silent.  So whoever goes through them takes a breath, as it were: every
 * OSW_BREATH_EVERY elements the thread's tick is called, if there is one.
 */
#ifndef OSW_WORKER_JUDGE_HEARTBEAT_H
#define OSW_WORKER_JUDGE_HEARTBEAT_H

#include <stdint.h>

enum { OSW_BREATH_EVERY = 1 << 20 }; /* some ms of the slowest work */

extern _Thread_local int64_t osw_heartbeat_left;

/* What this thread calls from now on; NULL: nothing. */
void osw_heartbeat_set(void (*tick)(void *arg), void *arg);

void osw_heartbeat_take(void);

/* Call after n elements, or 8 n bytes. */
static inline void osw_heartbeat(int64_t n)
{
    osw_heartbeat_left -= n;
    if (osw_heartbeat_left < 0)
        osw_heartbeat_take();
}

#endif /* OSW_WORKER_JUDGE_HEARTBEAT_H */
