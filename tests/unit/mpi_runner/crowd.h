/* tests/unit/mpi_runner/crowd.h - workers that are no processes, for a
 * coordinator
 *
 * GPU workers, ON_NODE on a node, that answer each bundle at once with cells
 * that pass, by way of a transport in the coordinator's own thread.
 *
 * Included once, by a test or a bench.
 */
#ifndef OSW_TESTS_CROWD_H
#define OSW_TESTS_CROWD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "mpi_runner/transport/link.h"
#include "mpi_runner/transport/object.h"
#include "tests/unit/mpi_runner/empty_campaign.h"

enum { ON_NODE = 8 };
#define BUNDLE_NS INT64_C(20000000) /* predicted */

/* --- workers --- */

struct worker {
    struct osw_outbox out;
    struct osw_inbox in;
    bool queued;
    int64_t not_before_ns;      /* its results are held back */
    bool heard_campaign, ready; /* the coordinator has been told so */
    uint64_t n_results, n_acked;
    int n_missing; /* objects that it waits for */
    bool told_to_stop;
    int n_broken, n_late; /* gangs; `parts` of such a one */
};

struct crowd {
    struct osw_transport base;
    struct worker *workers; /* [base.size], by rank */
    int *queue;             /* [base.size] ranks that have something to say */
    size_t head, n;         /* of the ring */
    int64_t ns;             /* spent here */
    int64_t held_ns;        /* every rank says nothing for so long */
    uint64_t n_frames;
    int late;        /* a rank that is ready late; 0: none */
    int64_t late_ns; /* by so much */
    int twin;        /* a rank that finds the GPU of the next one; 0: none */
    int hung;        /* a rank that never answers; 0: none */
    int cut;         /* a rank that is cut off once it is in a gang; 0: none */
    void (*all_said)(void); /* members of a gang give their parts, then this is
                               called; NULL: they do not */
    volatile sig_atomic_t n_cut; /* so many are */
    int helper;            /* the rank that got a second copy of its bundle */
    uint64_t n_early;      /* bundles for ranks whose node was not ready */
    int n_objects;         /* that the first rank of each node wants */
    uint32_t object_bytes; /* of each */
    uint64_t n_made, n_whole, n_others; /* objects; `object` messages else */
    struct osw_msg_space space;
};

static struct crowd *crowd_of(struct osw_transport *t)
{
    return (struct crowd *)t;
}

static void say(struct crowd *c, int rank, const struct osw_msg *m)
{
    struct worker *w = &c->workers[rank];
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_msg_post(&w->out, m, &err) < 0)
        die("post", &err);
    if (w->queued)
        return;
    w->queued = true;
    c->queue[(c->head + c->n++) % (size_t)c->base.size] = rank;
}

static void say_hello(struct crowd *c, int rank)
{
    char host[32];
    struct osw_msg m = {.type = OSW_MSG_HELLO};

    snprintf(host, sizeof(host), "node%d", (rank - 1) / ON_NODE);
    m.u.hello = (struct osw_msg_hello){.version = OSW_MSG_VERSION,
                                       .pid = 1,
                                       .local_index = (rank - 1) % ON_NODE,
                                       .n_local = ON_NODE,
                                       .host = host};
    if ((rank - 1) / ON_NODE == (c->base.size - 2) / ON_NODE)
        m.u.hello.n_local = (c->base.size - 2) % ON_NODE + 1;
    say(c, rank, &m);
}

/* --- compiled code --- */

static const char *object_id(int i)
{
    static char id[OSW_MSG_DIGITS + 1];

    snprintf(id, sizeof(id), "%064x", (unsigned)i);
    return id;
}

static void want_objects(struct crowd *c, int rank)
{
    for (int i = 0; i < c->n_objects && (rank - 1) % ON_NODE == 0; i++) {
        struct osw_msg m = {.type = OSW_MSG_WANT,
                            .u.want = {.id = object_id(i)}};

        say(c, rank, &m);
        c->workers[rank].n_missing++;
    }
}

/* All bytes are as the id's number. */
static void make_object(struct crowd *c, int rank, const char *id)
{
    unsigned char *data = malloc(c->object_bytes);
    struct osw_object o = {.id = id,
                           .kind = OSW_OBJECT_CODE,
                           .data = data,
                           .size = c->object_bytes};

    if (!data)
        exit(5);
    memset(data, (int)strtoul(id + OSW_MSG_DIGITS - 8, NULL, 16), o.size);
    osw_object_sum(&o);
    for (uint32_t at = 0; at < o.size; at += OSW_MSG_MAX_CHUNK) {
        struct osw_msg m = osw_object_cut(&o, at);

        say(c, rank, &m);
    }
    free(data);
    c->n_made++;
}

/* Its last word, once it has all that it waits for. */
static void sum_up(struct crowd *c, int rank)
{
    struct osw_msg last = {.type = OSW_MSG_SUMMARY};

    if (c->workers[rank].told_to_stop && c->workers[rank].n_missing == 0)
        say(c, rank, &last);
}

/* Chunks of an object arrive in order, so its last one says that all came. */
static void hear_object(struct crowd *c, int rank,
                        const struct osw_msg_object *m)
{
    unsigned char all =
        (unsigned char)strtoul(m->id + OSW_MSG_DIGITS - 8, NULL, 16);
    const unsigned char *data = m->bytes;
    bool made = m->kind == OSW_OBJECT_MAKE;
    bool good = m->kind == OSW_OBJECT_CODE && data[m->n - 1] == all;
    bool whole = good && m->offset + m->n == m->size;

    if (made)
        make_object(c, rank, m->id);
    c->n_others += !made && !good;
    c->n_whole += whole;
    c->workers[rank].n_missing -= made || whole;
    sum_up(c, rank);
}

static void say_ready(struct crowd *c, int rank)
{
    struct osw_msg m = {.type = OSW_MSG_READY, .u.ready = {.fit = 1}};
    struct osw_device_info *d = &m.u.ready.device;

    osw_device_info_init(d);
    snprintf(d->kind, sizeof(d->kind), "cuda");
    snprintf(d->name, sizeof(d->name), "none");
    snprintf(d->uuid, sizeof(d->uuid), "GPU-%08x",
             (unsigned)(rank == c->twin ? rank + 1 : rank));
    snprintf(d->health, sizeof(d->health), "ok");
    if (rank == c->late)
        c->workers[rank].not_before_ns = osw_clock_ns() + c->late_ns;
    say(c, rank, &m);
}

static bool is_node_ready(const struct crowd *c, int rank)
{
    int first = rank - (rank - 1) % ON_NODE;

    for (int r = first; r < first + ON_NODE && r < c->base.size; r++)
        if (!c->workers[r].ready)
            return false;
    return true;
}

static void answer(struct crowd *c, int rank, const struct osw_msg_bundle *b)
{
    struct osw_msg m = {.type = OSW_MSG_RESULT};
    struct osw_record *r = &m.u.result.record;

    osw_record_init(r);
    m.u.result.bundle = b->bundle;
    r->status_id = OSW_STATE_PASS;
    r->rank = rank;
    r->attempt = b->attempt;
    for (uint32_t i = 0; i < b->n; i++) {
        m.u.result.k = b->k[i];
        c->workers[rank].n_results++;
        r->cell = b->first_cell + b->k[i];
        r->cell_key = b->keys[i];
        say(c, rank, &m);
    }
    m = (struct osw_msg){.type = OSW_MSG_DONE,
                         .u.done = {b->bundle, b->attempt, BUNDLE_NS}};
    say(c, rank, &m);
}

static void join_in(struct crowd *c, int rank, const struct osw_msg_bundle *b)
{
    static const char mine[OSW_GANG_MAX_EXCHANGE];
    const struct osw_msg m = {.type = OSW_MSG_PART,
                              .u.part = {b->gang, 1, sizeof(mine), mine}};

    if (rank == c->cut)
        c->n_cut = 1;
    if (!c->all_said)
        return;
    say(c, rank, &m);
    if (b->rank == b->size - 1)
        c->all_said();
}

static void hear(struct crowd *c, int rank, const struct osw_msg *m)
{
    struct osw_msg none = {.type = OSW_MSG_GIVEN,
                           .u.given = {.bundle = UINT32_MAX}};

    switch (m->type) {
    case OSW_MSG_CAMPAIGN:
        c->workers[rank].heard_campaign = true;
        say_ready(c, rank);
        want_objects(c, rank);
        break;
    case OSW_MSG_OBJECT:
        hear_object(c, rank, &m->u.object);
        break;
    case OSW_MSG_ACK:
        c->workers[rank].n_acked = m->u.ack.n_results;
        break;
    case OSW_MSG_BUNDLE:
        c->n_early += !is_node_ready(c, rank);
        if (m->u.bundle.size > 0)
            join_in(c, rank, &m->u.bundle);
        if (m->u.bundle.size > 0 || rank == c->hung)
            break;
        if (m->u.bundle.attempt > 1)
            c->helper = rank;
        answer(c, rank, &m->u.bundle);
        if (c->held_ns)
            c->workers[rank].not_before_ns = osw_clock_ns() + c->held_ns;
        break;
    case OSW_MSG_RECALL:
        say(c, rank, &none);
        break;
    case OSW_MSG_PARTS:
        c->workers[rank].n_late += c->workers[rank].n_broken;
        break;
    case OSW_MSG_BROKEN:
        c->workers[rank].n_broken++;
        break;
    case OSW_MSG_STOP:
        if (rank != c->hung) {
            c->workers[rank].told_to_stop = true;
            sum_up(c, rank);
        }
        break;
    default:
        break;
    }
}

/* --- the transport --- */

static int crowd_send(struct osw_transport *t, int peer, const void *frame,
                      size_t n, struct osw_error *err)
{
    struct crowd *c = crowd_of(t);
    struct osw_inbox *in = &c->workers[peer].in;
    int64_t t0 = osw_clock_ns();
    const void *data;
    uint8_t type;

    if (c->n_cut && peer == c->cut)
        return osw_fail(err, OSW_PROTOCOL, "no way to rank %d", peer);
    c->n_frames++;
    if (osw_inbox_open(in, frame, n, err) < 0)
        die("frame", err);
    while (osw_inbox_next(in, &type, &data, &n, err) == 1) {
        struct osw_msg m;

        if (osw_msg_decode(OSW_MSG_TO_WORKER, type, data, n, &c->space, &m,
                           err) < 0)
            die("message", err);
        hear(c, peer, &m);
    }
    c->ns += osw_clock_ns() - t0;
    return 1;
}

static int crowd_poll(struct osw_transport *t, int *peer,
                      unsigned char frame[OSW_FRAME_MAX], size_t *n,
                      struct osw_error *err)
{
    struct crowd *c = crowd_of(t);
    int64_t t0 = osw_clock_ns();
    size_t size = (size_t)c->base.size;
    int rc = 0;

    (void)err;
    for (size_t left = c->held_ns ? c->n < 8 ? c->n : 8 : c->n;
         left > 0 && rc == 0; left--) {
        struct worker *w = &c->workers[ *peer = c->queue[c->head]];

        c->head = (c->head + 1) % size;
        c->n--;
        w->queued = false;
        if (w->not_before_ns <= t0) {
            *n = osw_outbox_peek(&w->out, frame);
            osw_outbox_advance(&w->out);
            w->ready |= w->heard_campaign;
            c->n_frames++;
            rc = 1;
        }
        if (osw_outbox_waiting(&w->out)) {
            w->queued = true;
            c->queue[(c->head + c->n++) % size] = *peer;
        }
    }
    c->ns += osw_clock_ns() - t0;
    return rc;
}

static void crowd_wait(struct osw_transport *t, int64_t max_ns)
{
    struct crowd *c = crowd_of(t);
    int64_t t0 = osw_clock_ns();

    osw_clock_sleep_ns(max_ns < 1000000 ? max_ns : 1000000);
    c->ns += osw_clock_ns() - t0;
}

static void crowd_forget(struct osw_transport *t, int peer)
{
    (void)t;
    (void)peer;
}

static bool crowd_close(struct osw_transport *t, bool lost, int exit_code)
{
    (void)t;
    (void)lost;
    return exit_code != 0;
}

static const struct osw_transport_ops crowd_ops = {.name = "crowd",
                                                   .send = crowd_send,
                                                   .poll = crowd_poll,
                                                   .wait = crowd_wait,
                                                   .forget = crowd_forget,
                                                   .remember = crowd_forget,
                                                   .close = crowd_close};

static struct crowd *gather(int n_ranks, int64_t held_ns)
{
    struct crowd *c = calloc(1, sizeof(*c));

    if (!c)
        exit(5);
    c->base = (struct osw_transport){.ops = &crowd_ops,
                                     .size = n_ranks + 1,
                                     .local_index = -1,
                                     .root_fd = -1};
    snprintf(c->base.host, sizeof(c->base.host), "head");
    c->held_ns = held_ns;
    c->workers = calloc((size_t)c->base.size, sizeof(*c->workers));
    c->queue = calloc((size_t)c->base.size, sizeof(*c->queue));
    if (!c->workers || !c->queue)
        exit(5);
    for (int r = 1; r < c->base.size; r++)
        say_hello(c, r);
    return c;
}

static void part(struct crowd *c)
{
    for (int r = 1; r < c->base.size; r++) {
        osw_outbox_free(&c->workers[r].out);
        osw_inbox_free(&c->workers[r].in);
    }
    free(c->workers);
    free(c->queue);
    free(c);
}

#endif /* OSW_TESTS_CROWD_H */
