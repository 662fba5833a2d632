/* worker/judge/memory/heartbeat.h - heartbeats during long work on memory
 *
 * To fill or to compare gigabytes on a processor takes longer than the longest
 * allowed time between two heartbeats.  So loops over memory call
 * osw_heartbeat(): every OSW_HEARTBEAT_EVERY elements it calls the thread's
 * tick, if there is one.
 */
#ifndef OSW_WORKER_JUDGE_HEARTBEAT_H
#define OSW_WORKER_JUDGE_HEARTBEAT_H

#include <stdint.h>

enum { OSW_HEARTBEAT_EVERY = 1 << 20 }; /* some ms of the slowest work */

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
