/* mpi_runner/ranks/worker_thread.c - a worker rank as a thread of this process
 */
#include "mpi_runner/ranks/worker_thread.h"

#include <stdbool.h>
#include <time.h>

#include "common/log.h"
#include "mpi_runner/ranks/worker_loop.h"

static void quit_thread(const struct osw_error *why)
{
    if (why->status != OSW_OK)
        osw_log(OSW_LOG_ERROR, "worker: %s", why->text);
    pthread_exit(NULL);
}

static void *worker_thread(void *arg)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_worker_life life = {.quit = quit_thread};
    struct osw_transport *t = arg;
    bool lost;

    if (osw_worker_loop_run(t, &osw_judge_worker, &life, &lost, &err) < 0)
        osw_log(OSW_LOG_ERROR, "worker: %s", err.text);
    t->ops->close(t, lost, 0);
    return NULL;
}

int osw_worker_thread_start(pthread_t *thread, struct osw_transport *transport,
                            struct osw_error *err)
{
    int rc = pthread_create(thread, NULL, worker_thread, transport);

    return rc == 0 ? 0 : osw_fail_sys(err, rc, "cannot start a thread");
}

bool osw_worker_thread_join(pthread_t thread, bool lost)
{
    struct timespec until;

    if (!lost) {
        pthread_join(thread, NULL);
        return true;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == 0;
}
