/* add_async__late_thread.c - returns while a thread still adds up the result */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "add.h"

enum { STEPS = 30, STEP_US = 1000 };

/* The sum grows in steps, and is right after the last. */
static void *work(void *arg)
{
    struct add *g = arg;

    for (int step = 1; step <= STEPS; step++) {
        for (int64_t i = 0; i < g->n; i++)
            view_set(&g->y, i,
                     add_a(g, i) + g->alpha * add_b(g, i) * step / STEPS);
        usleep(STEP_US);
    }
    free(g);
    return NULL;
}

int add_kernel_impl(const osw_call *call)
{
    struct add *g = malloc(sizeof(*g));
    int rc = g ? add_open(call, g) : OSW_ERROR;
    pthread_t thread;

    if (!rc && pthread_create(&thread, NULL, work, g))
        rc = OSW_ERROR;
    if (rc)
        free(g);
    else
        pthread_detach(thread);
    return rc;
}
