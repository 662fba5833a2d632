/* tests/simulate/network.c - frames between the coordinator and ranks that are
 * not there, as a transport */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/clock.h"
#include "tests/simulate/random.h"
#include "tests/simulate/side.h"
#include "tests/simulate/sim.h"

/* As transport_mpi.c: it looks often at first, then sleeps longer and longer.
 */
enum { MAX_FLYING = 16, LOOK_NS = 100000 };
enum { MIN_SLEEP_NS = 200000, MAX_SLEEP_NS = 1000000 };

/* A campaign takes no longer than so many times what its cells take, and this.
 */
enum { MAX_TIMES = 20 };
static const int64_t grace_ns = (int64_t)3600 * 1000000000;

void *sim_resize(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p) {
        fprintf(stderr, "simulate: no memory for %zu bytes\n", n);
        exit(5);
    }
    return p;
}

void *sim_zeros(size_t n, size_t size)
{
    return memset(sim_resize(NULL, n * size), 0, n * size);
}

static struct sim *sim_of(struct osw_transport *t)
{
    return (struct sim *)t;
}

static struct sim_frame *copy(int rank, const void *data, size_t n)
{
    struct sim_frame *f = sim_resize(NULL, sizeof(*f) + n);

    f->next = NULL;
    f->rank = rank;
    f->n = n;
    memcpy(f->data, data, n);
    return f;
}

/* Frames between two ranks arrive in order. */
static int64_t arrival(struct sim *s, int64_t *last_ns)
{
    double us =
        s->o->latency_us + s->o->jitter_us * sim_exponential(s->o->seed,
                                                             SIM_STREAM_NETWORK,
                                                             s->n_jitter++);
    int64_t at = sim_clock_ns() + (int64_t)(us * 1e3);

    if (at <= *last_ns)
        at = *last_ns + 1;
    return *last_ns = at;
}

void sim_network_flush(struct sim *s, int rank, bool all)
{
    struct sim_rank *r = &s->ranks[rank];
    unsigned char frame[OSW_FRAME_MAX];

    while (osw_outbox_waiting(&r->out) >= (all ? 1 : OSW_FRAME_MAX)) {
        size_t n = osw_outbox_peek(&r->out, frame);

        osw_outbox_advance(&r->out);
        r->sent_ns = sim_clock_ns();
        sim_events_add(&s->events, arrival(s, &r->out_ns), SIM_TO_COORDINATOR,
                       rank, copy(rank, frame, n));
    }
    if (all)
        r->flushed_ns = sim_clock_ns();
}

static void arrive(struct sim *s, const struct sim_event *e)
{
    *s->came_tail = e->frame;
    s->came_tail = &e->frame->next;
}

static void note(struct sim *s, const struct sim_event *e)
{
    s->digest = sim_mix(s->digest ^ (uint64_t)e->at_ns);
    s->digest = sim_mix(s->digest ^ (uint64_t)e->rank << 8 ^ e->kind);
    for (size_t i = 0; e->frame && i < e->frame->n; i++)
        s->digest = (s->digest ^ e->frame->data[i]) * UINT64_C(0x100000001b3);
}

/* Whatever happens to it, it waits until a stopped rank goes on. */
static bool put_off(struct sim *s, const struct sim_event *e)
{
    int64_t until_ns = s->ranks[e->rank].paused_until_ns;

    if (e->kind == SIM_TO_COORDINATOR || e->kind == SIM_DEATH ||
        e->at_ns >= until_ns)
        return false;
    sim_events_add(&s->events, until_ns, e->kind, e->rank, e->frame);
    return true;
}

void sim_advance(struct sim *s, int64_t to_ns)
{
    struct sim_event e;

    while (sim_events_take(&s->events, to_ns, &e)) {
        sim_clock_set(e.at_ns);
        if (put_off(s, &e))
            continue;
        note(s, &e);
        if (e.kind == SIM_TO_COORDINATOR)
            arrive(s, &e);
        else
            sim_ranks_event(s, &e);
    }
    sim_clock_set(to_ns);
}

/* --- the transport --- */

/* Time that the coordinator works: it gets to what happens meanwhile later. */
static void pay(const struct sim *s)
{
    sim_clock_set(sim_clock_ns() + (int64_t)(s->o->frame_us * 1e3));
}

static int sim_send(struct osw_transport *t, int peer, const void *frame,
                    size_t n, struct osw_error *err)
{
    struct sim *s = sim_of(t);
    struct sim_rank *r = &s->ranks[peer];

    if (r->forgotten)
        return osw_fail(err, OSW_PROTOCOL, "no rank %d to send to", peer);
    if (r->n_flying == MAX_FLYING)
        return 0;
    sim_side_enter();
    r->n_flying++;
    s->n_frames_out++;
    sim_events_add(&s->events, arrival(s, &r->in_ns), SIM_TO_RANK, peer,
                   copy(peer, frame, n));
    pay(s);
    sim_side_leave();
    return 1;
}

static int sim_poll(struct osw_transport *t, int *peer,
                    unsigned char frame[OSW_FRAME_MAX], size_t *n,
                    struct osw_error *err)
{
    struct sim *s = sim_of(t);
    struct sim_frame *f;

    (void)err;
    sim_side_enter();
    sim_advance(s, sim_clock_ns());
    f = s->came;
    if (f) {
        s->came = f->next;
        if (!s->came)
            s->came_tail = &s->came;
        *peer = f->rank;
        *n = f->n;
        memcpy(frame, f->data, f->n);
        free(f);
        s->n_frames_in++;
        s->n_empty = 0;
        pay(s);
    }
    sim_side_leave();
    return f != NULL;
}

static void end_if_endless(const struct sim *s)
{
    double most_ms = MAX_TIMES * (s->work->rank_ms / (s->base.size - 1) +
                                  s->work->longest_bundle_ms);

    if (sim_clock_ns() - s->start_ns < (int64_t)(most_ms * 1e6) + grace_ns)
        return;
    fprintf(stderr,
            "simulate: broken: after %.0f s %" PRIu64 " of %" PRIu64
            " cells are recorded, and nothing goes on\n",
            (double)(sim_clock_ns() - s->start_ns) * 1e-9,
            s->checks->n_recorded, s->work->plan.n_cells);
    exit(1);
}

static void sim_wait(struct osw_transport *t, int64_t max_ns)
{
    struct sim *s = sim_of(t);
    int64_t now = sim_clock_ns(), ns;

    sim_side_enter();
    if (s->n_empty++ == 0) { /* it looks all the time */
        ns = sim_events_next_ns(&s->events) - now;
        if (ns > LOOK_NS)
            ns = LOOK_NS;
    } else {
        ns = (int64_t)MIN_SLEEP_NS + (int64_t)s->n_empty * (MIN_SLEEP_NS / 16);
        if (ns > MAX_SLEEP_NS)
            ns = MAX_SLEEP_NS;
    }
    sim_advance(s, now + (ns < max_ns ? ns : max_ns));
    end_if_endless(s);
    sim_side_leave();
}

static void sim_forget(struct osw_transport *t, int peer)
{
    sim_of(t)->ranks[peer].forgotten = true;
}

static void sim_remember(struct osw_transport *t, int peer)
{
    sim_of(t)->ranks[peer].forgotten = false;
}

static bool sim_close(struct osw_transport *t, bool lost, int exit_code)
{
    (void)t, (void)lost;
    return exit_code != 0;
}

static const struct osw_transport_ops transport_ops = {.name = "simulated",
                                                       .send = sim_send,
                                                       .poll = sim_poll,
                                                       .wait = sim_wait,
                                                       .forget = sim_forget,
                                                       .remember = sim_remember,
                                                       .close = sim_close};

struct sim *sim_create(const struct sim_options *o, const struct sim_work *work,
                       struct sim_checks *checks)
{
    struct sim *s = sim_zeros(1, sizeof(*s));

    s->base = (struct osw_transport){.ops = &transport_ops,
                                     .size = (int)o->ranks + 1,
                                     .local_index = -1,
                                     .root_fd = -1};
    snprintf(s->base.host, sizeof(s->base.host), "head");
    s->o = o;
    s->work = work;
    s->checks = checks;
    s->came_tail = &s->came;
    s->start_ns = sim_clock_ns();
    s->ranks = sim_zeros((size_t)s->base.size, sizeof(*s->ranks));
    sim_ranks_start(s);
    return s;
}

void sim_destroy(struct sim *s)
{
    while (s->came) {
        struct sim_frame *f = s->came;

        s->came = f->next;
        free(f);
    }
    sim_events_free(&s->events);
    sim_ranks_free(s);
    free(s->ranks);
    free(s);
}
