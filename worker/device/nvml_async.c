/* worker/device/nvml_async.c - a sample of a GPU's state beside other work */
#include "worker/device/nvml_async.h"

#include <signal.h>

static void *take(void *arg)
{
    struct osw_nvml_async *a = arg;

    osw_nvml_sample(&a->gpu, &a->sample);
    return NULL;
}

/* Signals are for the threads that wait for them. */
static bool start(struct osw_nvml_async *a)
{
    sigset_t all, before;
    bool started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&a->thread, NULL, take, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void osw_nvml_async_begin(struct osw_nvml_async *a,
                          const struct osw_nvml_gpu *gpu)
{
    osw_nvml_async_end(a);
    a->gpu = *gpu;
    a->busy = start(a);
    if (!a->busy)
        take(a);
}

void osw_nvml_async_end(struct osw_nvml_async *a)
{
    if (a->busy)
        pthread_join(a->thread, NULL);
    a->busy = false;
}
