/* matmul_pass__joined_threads.c - two threads of its own, joined before it
 * returns
 */
#include <pthread.h>

#include "matmul.h"

struct half {
    struct matmul g;
    int64_t from, to;
};

static void *work(void *arg)
{
    const struct half *h = arg;

    for (int64_t at = h->from; at < h->to; at++)
        matmul_right(&h->g, at);
    return NULL;
}

int matmul_kernel_impl(const osw_call *call)
{
    struct half h[2];
    pthread_t thread;
    int rc = matmul_open(call, &h[0].g);

    if (rc)
        return rc;
    h[1].g = h[0].g;
    h[0].from = 0;
    h[0].to = h[1].from = h[0].g.m * h[0].g.n / 2;
    h[1].to = h[0].g.m * h[0].g.n;
    if (pthread_create(&thread, NULL, work, &h[1]))
        return OSW_ERROR;
    work(&h[0]);
    pthread_join(thread, NULL);
    return 0;
}
