/* worker/judge/breath.h - long work on memory lets the worker speak in between
 *
 * To fill or to compare gigabytes takes a processor longer than a worker may be
 * silent.  So whoever goes through them takes a breath, as it were: every
 * OSW_BREATH_EVERY elements the thread's tick is called, if there is one.
 */
#ifndef OSW_WORKER_JUDGE_BREATH_H
#define OSW_WORKER_JUDGE_BREATH_H

#include <stdint.h>

enum { OSW_BREATH_EVERY = 1 << 20 }; /* some ms of the slowest work */

extern _Thread_local int64_t osw_breath_left;

/* What this thread calls from now on; NULL: nothing. */
void osw_breath_set(void (*tick)(void *arg), void *arg);

void osw_breath_take(void);

/* Behind n elements, or 8 n bytes. */
static inline void osw_breath(int64_t n)
{
    osw_breath_left -= n;
    if (osw_breath_left < 0)
        osw_breath_take();
}

#endif /* OSW_WORKER_JUDGE_BREATH_H */
