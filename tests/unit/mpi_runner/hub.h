/* tests/unit/mpi_runner/hub.h - ranks as threads of one process, more than two
 *
 * Included once, by a test.
 */
#ifndef OSW_TESTS_HUB_H
#define OSW_TESTS_HUB_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "mpi_runner/transport/transport.h"

enum { HUB_RANKS = 6, HUB_FRAMES = 64 };

struct hub_frame {
    int from;
    size_t n;
    unsigned char data[OSW_FRAME_MAX];
};

struct hub_end {
    struct osw_transport base;
    struct hub *hub;
    struct hub_frame frames[HUB_FRAMES]; /* to it: a ring */
    unsigned head, n;
};

struct hub {
    pthread_mutex_t lock;
    struct hub_end ends[HUB_RANKS];
};

static struct hub_end *hub_end_of(struct osw_transport *t)
{
    return (struct hub_end *)t;
}

static int hub_send(struct osw_transport *t, int peer, const void *data,
                    size_t n, struct osw_error *err)
{
    struct hub *h = hub_end_of(t)->hub;
    struct hub_end *to = &h->ends[peer];
    int rc = 0;

    (void)err;
    pthread_mutex_lock(&h->lock);
    if (to->n < HUB_FRAMES) {
        struct hub_frame *f = &to->frames[(to->head + to->n++) % HUB_FRAMES];

        f->from = t->rank;
        f->n = n;
        memcpy(f->data, data, n);
        rc = 1;
    }
    pthread_mutex_unlock(&h->lock);
    return rc;
}

static int hub_poll(struct osw_transport *t, int *peer,
                    unsigned char frame[OSW_FRAME_MAX], size_t *n,
                    struct osw_error *err)
{
    struct hub_end *e = hub_end_of(t);
    int rc = 0;

    (void)err;
    pthread_mutex_lock(&e->hub->lock);
    if (e->n > 0) {
        const struct hub_frame *f = &e->frames[e->head];

        *peer = f->from;
        *n = f->n;
        memcpy(frame, f->data, f->n);
        e->head = (e->head + 1) % HUB_FRAMES;
        e->n--;
        rc = 1;
    }
    pthread_mutex_unlock(&e->hub->lock);
    return rc;
}

static void hub_wait(struct osw_transport *t, int64_t max_ns)
{
    (void)t;
    osw_clock_sleep_ns(max_ns < 200000 ? max_ns : 200000);
}

static void hub_forget(struct osw_transport *t, int peer)
{
    (void)t;
    (void)peer;
}

static bool hub_close(struct osw_transport *t, bool lost, int exit_code)
{
    (void)t;
    (void)lost;
    (void)exit_code;
    return false;
}

static const struct osw_transport_ops hub_ops = {.name = "hub",
                                                 .send = hub_send,
                                                 .poll = hub_poll,
                                                 .wait = hub_wait,
                                                 .forget = hub_forget,
                                                 .remember = hub_forget,
                                                 .close = hub_close};

/* Ranks 0 to n_workers, so many workers on a node; free() it at the end. */
static struct hub *hub_open(int n_workers, int on_node)
{
    struct hub *h = calloc(1, sizeof(*h));

    if (!h)
        exit(5);
    pthread_mutex_init(&h->lock, NULL);
    for (int r = 0; r <= n_workers; r++) {
        h->ends[r].hub = h;
        h->ends[r].base = (struct osw_transport){
            .ops = &hub_ops, .rank = r, .size = n_workers + 1, .root_fd = -1};
        h->ends[r].base.local_index = r ? (r - 1) % on_node : -1;
        h->ends[r].base.n_local = on_node;
        snprintf(h->ends[r].base.host, sizeof(h->ends[r].base.host), "node%d",
                 (r - 1) / on_node);
    }
    return h;
}

#endif /* OSW_TESTS_HUB_H */
