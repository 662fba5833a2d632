/* mpi_runner/ranks/broadcast.c - what rank 0 says to all ranks outside of a
 * campaign's run */
#include "mpi_runner/ranks/broadcast.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/transport/link.h"

enum { RETRY_NS = 1000000 };

static const int64_t patience_ns = INT64_C(2000000000);

enum sent { SENT, FULL, UNREACHABLE };

static enum sent send_to(struct osw_transport *transport, int rank,
                         const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t now = osw_clock_ns();
    enum sent sent = UNREACHABLE;
    struct osw_link link;

    osw_link_open(&link, transport, rank, now);
    if (osw_link_post(&link, m, &err) == 0 &&
        osw_link_flush(&link, true, now, &err) == 0)
        sent = osw_outbox_waiting(&link.out) ? FULL : SENT;
    osw_link_close(&link);
    return sent;
}

int osw_broadcast(struct osw_transport *transport, const struct osw_msg *m,
                  int64_t patience)
{
    int64_t until = osw_clock_ns() + patience;
    int n_failed = 0;

    for (int rank = 1; rank < transport->size; rank++) {
        enum sent sent = send_to(transport, rank, m);

        while (sent == FULL && osw_clock_ns() < until) {
            osw_clock_sleep_ns(RETRY_NS);
            sent = send_to(transport, rank, m);
        }
        n_failed += sent != SENT;
    }
    return n_failed;
}

void osw_broadcast_campaign(struct osw_transport *transport,
                            const struct osw_msg_campaign *campaign)
{
    const struct osw_msg m = {.type = OSW_MSG_CAMPAIGN,
                              .u.campaign = *campaign};

    (void)osw_broadcast(transport, &m, patience_ns);
}

void osw_broadcast_end(struct osw_transport *transport)
{
    const struct osw_msg m = {.type = OSW_MSG_END, .u.end = {.lost = false}};
    int n = osw_broadcast(transport, &m, patience_ns);

    if (n)
        osw_log(OSW_LOG_WARNING,
                "%d of %d workers could not be told that the campaign is over",
                n, transport->size - 1);
}

/* --- the thread --- */

struct osw_keeper {
    struct osw_transport *transport;
    int64_t period_ns;
    void (*also)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
};

static void wait_until(struct osw_keeper *k, int64_t ns)
{
    const struct timespec until = {ns / 1000000000, ns % 1000000000};

    pthread_mutex_lock(&k->lock);
    while (!k->stop && osw_clock_ns() < ns)
        (void)pthread_cond_clockwait(&k->changed, &k->lock, CLOCK_MONOTONIC,
                                     &until);
    pthread_mutex_unlock(&k->lock);
}

static bool is_stopped(struct osw_keeper *k)
{
    bool stop;

    pthread_mutex_lock(&k->lock);
    stop = k->stop;
    pthread_mutex_unlock(&k->lock);
    return stop;
}

static void *keep(void *arg)
{
    const struct osw_msg heartbeat = {.type = OSW_MSG_HEARTBEAT};
    struct osw_keeper *k = arg;

    while (!is_stopped(k)) {
        int64_t now = osw_clock_ns();

        if (k->transport)
            (void)osw_broadcast(k->transport, &heartbeat, 0);
        if (k->also)
            k->also(k->arg);
        wait_until(k, now + k->period_ns);
    }
    return NULL;
}

osw_keeper_t *osw_keeper_start(struct osw_transport *transport,
                               int64_t period_ns, void (*also)(void *arg),
                               void *arg, struct osw_error *err)
{
    struct osw_keeper *k = calloc(1, sizeof(*k));
    sigset_t all, before;
    int rc;

    if (!k) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a thread");
        return NULL;
    }
    *k = (struct osw_keeper){
        .transport = transport,
        .period_ns = period_ns,
        .also = also,
        .arg = arg,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    sigfillset(&all); /* requests to stop are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&k->thread, NULL, keep, k);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        return k;
    osw_fail_sys(err, rc, "cannot start a thread");
    free(k);
    return NULL;
}

void osw_keeper_stop(osw_keeper_t **keeper)
{
    struct osw_keeper *k = *keeper;

    *keeper = NULL;
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->stop = true;
    pthread_cond_signal(&k->changed);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    pthread_mutex_destroy(&k->lock);
    pthread_cond_destroy(&k->changed);
    free(k);
}
