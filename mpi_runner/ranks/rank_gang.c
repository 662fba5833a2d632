/* mpi_runner/ranks/rank_gang.c - a worker rank as a member of a gang */
#include "mpi_runner/ranks/rank_gang.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/grow.h"
#include "mpi_runner/ranks/rank_relay.h"
#include "mpi_runner/ranks/rank_send.h"
#include "worker/segment.h"

static const int64_t nap_ns = 1000000;

static void say_broken(struct osw_rank *l, uint64_t gang, const char *reason)
{
    struct osw_msg m = {.type = OSW_MSG_BROKEN, .u.broken = {gang, reason}};

    osw_rank_post(l, &m);
    osw_rank_flush(l, true);
}

/* This member cannot go on, as g->broken says. */
static void say_why(struct osw_rank *l)
{
    say_broken(l, l->gang.as.id, l->gang.broken.text);
}

/* No further exchange succeeds. */
static int give_up(struct osw_rank_gang *g, struct osw_error *err)
{
    return osw_fail(err, g->broken.status, "%s", g->broken.text);
}

static void wait_for_parts(struct osw_rank *l, int64_t deadline_ns)
{
    struct osw_rank_gang *g = &l->gang;
    struct osw_transport *t = l->link.transport;

    g->tick(l);
    while (!g->came && g->broken.status == OSW_OK) {
        if (osw_rank_failed(l) || l->ended) {
            osw_fail(&g->broken, OSW_CHILD, "the campaign has ended");
        } else if (osw_clock_ns() >= deadline_ns) {
            osw_fail(&g->broken, OSW_TIMEOUT,
                     "the others of the gang of %" PRIu32
                     " did not come to exchange %" PRIu32 " in time",
                     g->as.size, g->exchange);
            say_why(l);
        } else {
            t->ops->wait(t, nap_ns);
            g->tick(l);
        }
    }
}

static int exchange(void *arg, const void *mine, uint32_t bytes, void *all,
                    int64_t deadline_ns, struct osw_error *err)
{
    struct osw_rank *l = arg;
    struct osw_rank_gang *g = &l->gang;
    struct osw_msg m = {.type = OSW_MSG_PART};

    if (bytes > OSW_GANG_MAX_EXCHANGE)
        return osw_fail(err, OSW_INTERNAL,
                        "%" PRIu32 " bytes in an exchange, at most %d", bytes,
                        OSW_GANG_MAX_EXCHANGE);
    if (g->broken.status != OSW_OK)
        return give_up(g, err);
    g->came = false;
    m.u.part = (struct osw_msg_part){g->as.id, ++g->exchange, bytes, mine};
    osw_rank_post(l, &m);
    wait_for_parts(l, deadline_ns);
    if (g->broken.status != OSW_OK)
        return give_up(g, err);
    if (g->n_parts != g->as.size * bytes) {
        osw_fail(&g->broken, OSW_PROTOCOL,
                 "%" PRIu32 " bytes of all members, expected %" PRIu32,
                 g->n_parts, g->as.size * bytes);
        say_why(l);
        return give_up(g, err);
    }
    if (bytes)
        memcpy(all, g->parts, g->n_parts);
    return 0;
}

/* Of a cell that begins; it may be judged on after others have begun. */
static void take_segment(void *arg, int fd)
{
    struct osw_rank *l = arg;
    struct osw_rank_gang *g = &l->gang;
    int *fds = osw_grow(g->segment_fds, g->n_segments, &g->size_segments,
                        sizeof(*fds));

    if (fds)
        g->segment_fds = fds;
    else
        osw_fail(&g->broken, OSW_NO_MEMORY, "no memory for a cell");
    if (!fds ||
        (g->relay && osw_rank_relay_next_cell(g->relay, fd, &g->broken) < 0)) {
        say_why(l);
        close(fd);
        return;
    }
    fds[g->n_segments++] = fd;
}

void osw_rank_gang_relay(struct osw_rank *l)
{
    struct osw_rank_gang *g = &l->gang;

    if (g->as.size > 0 && g->relay && g->broken.status == OSW_OK &&
        osw_rank_relay_send(g->relay, &g->broken) < 0)
        say_why(l);
}

void osw_rank_gang_frame(struct osw_rank *l, int peer, const void *frame,
                         size_t n)
{
    if (l->gang.as.size > 0 && l->gang.relay)
        osw_rank_relay_receive(l->gang.relay, peer, frame, n);
}

const struct osw_gang *osw_rank_gang_begin(struct osw_rank *l,
                                           const struct osw_msg_bundle *b,
                                           void (*tick)(void *arg))
{
    struct osw_rank_gang *g = &l->gang;
    bool one_node = osw_msg_on_one_node(b);

    if (b->size == 0)
        return NULL;
    g->as = (struct osw_gang){.id = b->gang,
                              .rank = b->rank,
                              .size = b->size,
                              .leader = b->members[b->rank].leader,
                              .one_node = one_node,
                              .exchange = exchange,
                              .arg = l,
                              .take_segment = take_segment,
                              .n_carried = one_node ? NULL : &g->n_carried};
    g->n_segments = 0;
    g->broken = (struct osw_error)OSW_ERROR_INIT;
    g->relay = one_node
                   ? NULL
                   : osw_rank_relay_create(l->link.transport, b, &g->n_carried);
    g->tick = tick;
    g->exchange = 0;
    g->came = false;
    if (!one_node && !g->relay) {
        osw_fail(&g->broken, OSW_NO_MEMORY, "no memory for messages");
        say_why(l);
    }
    return &g->as;
}

void osw_rank_gang_end(struct osw_rank *l)
{
    struct osw_rank_gang *g = &l->gang;

    if (g->as.size == 0)
        return;
    for (size_t i = 0; i < g->n_segments; i++)
        close(g->segment_fds[i]);
    osw_rank_relay_destroy(g->relay);
    g->as.size = 0;
}

void osw_rank_gang_refuse(struct osw_rank *l, const struct osw_msg_bundle *b)
{
    if (b->size == 0)
        return;
    l->gang.refused = true;
    l->gang.refused_id = b->gang;
    if (l->stopping)
        osw_rank_gang_stop(l);
}

void osw_rank_gang_stop(struct osw_rank *l)
{
    if (l->gang.refused)
        say_broken(l, l->gang.refused_id, "was asked to stop");
    l->gang.refused = false;
}

static bool is_mine(const struct osw_rank *l, uint64_t id)
{
    return l->gang.as.size > 0 && l->gang.as.id == id;
}

void osw_rank_gang_parts(struct osw_rank *l, const struct osw_msg_parts *m)
{
    struct osw_rank_gang *g = &l->gang;

    if (!is_mine(l, m->gang) || m->exchange != g->exchange || g->came)
        return;
    g->n_parts = m->n;
    if (m->n)
        memcpy(g->parts, m->bytes, m->n);
    g->came = true;
}

void osw_rank_gang_broken(struct osw_rank *l, const struct osw_msg_broken *m)
{
    struct osw_rank_gang *g = &l->gang;

    if (!is_mine(l, m->gang))
        return;
    osw_fail(&g->broken, OSW_CHILD, "a member is lost: %s", m->reason);
    for (size_t i = 0; i < g->n_segments; i++)
        osw_segment_end(g->segment_fds[i], g->as.rank);
}
