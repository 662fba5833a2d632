/* life_async__a_moment_late.c - a thread begins to write half a millisecond
 * after the call: an immediate look sees outputs that do not change
 */
#include <pthread.h>
#include <unistd.h>

#include "life.h"

enum { STEPS = 40, STEP_US = 500 };

static struct scale job;
static pthread_t late;
static int started;

/* Every step is nearer to the result; the last one is right. */
static void *work(void *arg)
{
    (void)arg;
    for (int step = 1; step <= STEPS; step++) {
        usleep(STEP_US);
        for (int64_t i = 0; i < job.n; i++)
            job.y[i] = job.factor * job.x[i] * (float)step / STEPS;
    }
    return NULL;
}

int life_kernel_impl(const osw_call *call)
{
    int rc;

    if (started)
        pthread_join(late, NULL);
    rc = scale_open(call, &job);
    started = !rc && !pthread_create(&late, NULL, work, NULL);
    return started || rc ? rc : OSW_ERROR;
}
