/* mpi_runner/transport/transport_loop.c - two ranks as two threads of one
 * process */
#include "mpi_runner/transport/transport.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 64 }; /* frames in one direction */

/* Frames to one end. */
struct queue {
    pthread_cond_t filled;
    unsigned head, n; /* of the ring */
    size_t bytes[QUEUE];
    unsigned char frames[QUEUE][OSW_FRAME_MAX];
};

struct end {
    struct osw_transport base;
    struct pair *pair;
};

struct pair {
    pthread_mutex_t lock;
    struct queue to[2]; /* by rank */
    struct end ends[2];
    int n_open;
    bool forgotten[2]; /* by rank: the other gave it up */
};

static struct end *end_of(struct osw_transport *t)
{
    return (struct end *)t;
}

static int loop_send(struct osw_transport *t, int peer, const void *frame,
                     size_t n, struct osw_error *err)
{
    struct pair *p = end_of(t)->pair;
    struct queue *q = &p->to[1 - t->rank];
    int rc = 0;

    if (peer != 1 - t->rank)
        return osw_fail(err, OSW_PROTOCOL, "no rank %d", peer);
    pthread_mutex_lock(&p->lock);
    if (p->n_open < 2 || p->forgotten[peer]) {
        rc = osw_fail(err, OSW_PROTOCOL, "rank %d has left", peer);
    } else if (q->n < QUEUE) {
        unsigned at = (q->head + q->n++) % QUEUE;

        memcpy(q->frames[at], frame, n);
        q->bytes[at] = n;
        pthread_cond_signal(&q->filled);
        rc = 1;
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

static int loop_poll(struct osw_transport *t, int *peer,
                     unsigned char frame[OSW_FRAME_MAX], size_t *n,
                     struct osw_error *err)
{
    struct pair *p = end_of(t)->pair;
    struct queue *q = &p->to[t->rank];
    int rc = 0;

    (void)err;
    pthread_mutex_lock(&p->lock);
    if (q->n) {
        *n = q->bytes[q->head];
        memcpy(frame, q->frames[q->head], *n);
        q->head = (q->head + 1) % QUEUE;
        q->n--;
        *peer = 1 - t->rank;
        rc = 1;
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

static void loop_wait(struct osw_transport *t, int64_t max_ns)
{
    struct pair *p = end_of(t)->pair;
    struct queue *q = &p->to[t->rank];
    struct timespec until;

    if (max_ns > 1000000)
        max_ns = 1000000;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += max_ns > 0 ? (long)max_ns : 0;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&p->lock);
    if (q->n == 0)
        pthread_cond_timedwait(&q->filled, &p->lock, &until);
    pthread_mutex_unlock(&p->lock);
}

static void loop_forget(struct osw_transport *t, int peer)
{
    struct pair *p = end_of(t)->pair;

    (void)peer;
    pthread_mutex_lock(&p->lock);
    p->forgotten[1 - t->rank] = true;
    pthread_mutex_unlock(&p->lock);
}

static void loop_remember(struct osw_transport *t, int peer)
{
    struct pair *p = end_of(t)->pair;

    (void)peer;
    pthread_mutex_lock(&p->lock);
    p->forgotten[1 - t->rank] = false;
    pthread_mutex_unlock(&p->lock);
}

static void free_pair(struct pair *p)
{
    pthread_cond_destroy(&p->to[0].filled);
    pthread_cond_destroy(&p->to[1].filled);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static bool loop_close(struct osw_transport *t, bool lost, int exit_code)
{
    struct pair *p = end_of(t)->pair;
    int left;

    (void)lost;
    (void)exit_code;
    pthread_mutex_lock(&p->lock);
    left = --p->n_open;
    pthread_mutex_unlock(&p->lock);
    if (left == 0)
        free_pair(p);
    return false;
}

static const struct osw_transport_ops loop_ops = {
    .name = "loop",
    .send = loop_send,
    .poll = loop_poll,
    .wait = loop_wait,
    .forget = loop_forget,
    .remember = loop_remember,
    .close = loop_close,
};

static void init_queue(struct queue *q)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&q->filled, &attr);
    pthread_condattr_destroy(&attr);
}

int osw_transport_open_loop(struct osw_transport **mine,
                            struct osw_transport **other, struct osw_error *err)
{
    struct pair *p = calloc(1, sizeof(*p));

    if (!p)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a transport");
    pthread_mutex_init(&p->lock, NULL);
    p->n_open = 2;
    for (int r = 0; r < 2; r++) {
        init_queue(&p->to[r]);
        p->ends[r].pair = p;
        p->ends[r].base = (struct osw_transport){.ops = &loop_ops,
                                                 .rank = r,
                                                 .size = 2,
                                                 .local_index = r - 1,
                                                 .n_local = 1,
                                                 .root_fd = -1};
        gethostname(p->ends[r].base.host, sizeof(p->ends[r].base.host) - 1);
    }
    *mine = &p->ends[0].base;
    *other = &p->ends[1].base;
    return 0;
}
