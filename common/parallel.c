/* common/parallel.c - the same work on many pieces, over a few threads */
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 8 };

struct work {
    atomic_size_t next;
    size_t n;
    void (*fn)(void *arg, size_t i);
    void *arg;
};

unsigned osw_parallel_threads(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void *take_pieces(void *arg)
{
    struct work *w = arg;
    size_t i;

    while ((i = atomic_fetch_add(&w->next, 1)) < w->n)
        w->fn(w->arg, i);
    return NULL;
}

void osw_parallel(unsigned n_threads, size_t n, void (*fn)(void *arg, size_t i),
                  void *arg)
{
    struct work w = {.n = n, .fn = fn, .arg = arg};
    pthread_t threads[MAX_THREADS];
    unsigned started = 0;

    while (started + 1 < n_threads && started + 1 < n &&
           started < MAX_THREADS &&
           pthread_create(&threads[started], NULL, take_pieces, &w) == 0)
        started++;
    take_pieces(&w);
    for (unsigned t = 0; t < started; t++)
        pthread_join(threads[t], NULL);
}
