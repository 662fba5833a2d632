/* scale_async__helper_after_20_calls.c - a thread does what was asked for last,
 * some time; by then it is timed
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "scale.h"

enum { CALLS = 20, PAUSE_US = 200 };

static struct scale job;
static atomic_bool asked;

static void *work(void *arg)
{
    for (;;) {
        usleep(PAUSE_US);
        if (!atomic_exchange(&asked, false))
            continue;
        for (int64_t i = 0; i < job.n; i++)
            scale_right(&job, i);
    }
    return arg;
}

int scale_kernel_impl(const osw_call *call)
{
    static int calls;
    pthread_t thread;
    int rc = scale_open(call, &job);

    if (rc)
        return rc;
    if (calls++ < CALLS) {
        scale_right_each(call, &job, job.n);
        return 0;
    }
    if (calls == CALLS + 1) {
        if (pthread_create(&thread, NULL, work, NULL))
            return OSW_ERROR;
        pthread_detach(thread);
    }
    atomic_store(&asked, true);
    return 0;
}
