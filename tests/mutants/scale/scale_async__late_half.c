/* scale_async__late_half.c - a thread writes the second half while the first is
 * handed over
 */
#include <pthread.h>
#include <unistd.h>

#include "scale.h"

enum { ROUNDS = 40, ROUND_US = 500 };

static struct scale job;

/* Every round is nearer to the result; the last one is right. */
static void *work(void *arg)
{
    struct scale g = job;

    (void)arg;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int64_t i = g.n / 2; i < g.n; i++)
            g.y[i] = g.factor * g.x[i] * (float)round / ROUNDS;
        usleep(ROUND_US);
    }
    return NULL;
}

int scale_kernel_impl(const osw_call *call)
{
    pthread_t thread;
    int rc = scale_open(call, &job);

    if (rc)
        return rc;
    for (int64_t i = 0; i < job.n / 2; i++)
        scale_right(&job, i);
    if (pthread_create(&thread, NULL, work, NULL))
        return OSW_ERROR;
    pthread_detach(thread);
    usleep(ROUND_US);
    return 0;
}
