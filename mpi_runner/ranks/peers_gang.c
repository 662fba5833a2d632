/* mpi_runner/ranks/peers_gang.c - the coordinator's gangs: workers that judge a
 * bundle together */
#include "mpi_runner/ranks/peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/sched/exchange.h"

struct osw_peers_gang {
    uint64_t id;
    struct osw_sched_gang who;
    uint32_t n_ended; /* members */
    struct osw_exchange exchange;
};

static int rank_of(uint32_t worker)
{
    return (int)worker + 1;
}

void osw_peers_gang_free(struct osw_peers *c, int rank)
{
    struct osw_peers_gang *g = c->peers[rank].gang;

    if (!g)
        return;
    for (uint32_t i = 0; i < g->who.n; i++)
        c->peers[rank_of(g->who.workers[i])].gang = NULL;
    free(g);
}

/* The members are free. */
static void feed(struct osw_peers *c, const struct osw_sched_gang *who)
{
    for (uint32_t i = 0; i < who->n; i++)
        osw_peers_feed(c, rank_of(who->workers[i]));
}

/* The attempt has failed, by a member's fault or loss: tell all of them. */
static struct osw_sched_gang disband(struct osw_peers *c, int rank,
                                     const char *why)
{
    struct osw_peers_gang *g = c->peers[rank].gang;
    const struct osw_sched_gang who = g->who;
    struct osw_msg m = {.type = OSW_MSG_BROKEN, .u.broken = {g->id, why}};
    char text[400];

    osw_peers_gang_free(c, rank);
    osw_sched_gang_failed(c->sched, who.task);
    snprintf(text, sizeof(text), "its gang is broken: %.300s", why);
    osw_log(OSW_LOG_INFO, "a gang of %" PRIu32 " is broken: %s", who.n, why);
    osw_peers_tell(c, OSW_EVENT_RETRY, rank,
                   (int64_t)osw_peers_bundle_of(c, who.task.bundle)->first_cell,
                   text);
    for (uint32_t i = 0; i < who.n; i++)
        osw_peers_post(c, rank_of(who.workers[i]), &m);
    osw_peers_settle_given_up(c);
    return who;
}

/* Likewise, and they get something else to do. */
static void break_up(struct osw_peers *c, int rank, const char *why)
{
    const struct osw_sched_gang who = disband(c, rank, why);

    feed(c, &who);
}

/* --- out --- */

static void skip_gang(struct osw_peers *c, const struct osw_sched_gang *who,
                      const char *why)
{
    osw_peers_skip(c, who->task, why);
    for (uint32_t i = 0; i < who->n; i++)
        osw_sched_finished(c->sched, who->workers[i], who->task);
}

static struct osw_peers_gang *begin(struct osw_peers *c,
                                    const struct osw_sched_gang *who)
{
    struct osw_peers_gang *g = malloc(sizeof(*g));
    int64_t now = osw_clock_ns();

    if (!g)
        return NULL;
    g->id =
        c->gang_salt ^ ((uint64_t)who->task.bundle << 32) ^ who->task.attempt;
    g->who = *who;
    g->n_ended = 0;
    osw_exchange_init(&g->exchange, who->n);
    for (uint32_t i = 0; i < who->n; i++) {
        struct osw_peer *p = &c->peers[rank_of(who->workers[i])];

        p->gang = g;
        p->gang_rank = i;
        p->at_ns = p->began_ns = now;
    }
    return g;
}

/* The ranks of its members, and who is on which node. */
static const struct osw_msg_member *
list_members(struct osw_peers *c, const struct osw_sched_gang *who)
{
    struct osw_msg_member *m = c->space.members;

    for (uint32_t i = 0; i < who->n; i++) {
        int rank = rank_of(who->workers[i]);
        uint32_t k = 0;

        while (!who->one_node && k < i &&
               c->peers[m[k].rank].node != c->peers[rank].node)
            k++;
        m[i] = (struct osw_msg_member){(uint32_t)rank, k};
    }
    return m;
}

static void dispatch(struct osw_peers *c, const struct osw_sched_gang *who)
{
    const int leader = rank_of(who->workers[0]);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_peers_gang *g;
    struct osw_msg m;

    if (osw_peers_bundle_of(c, who->task.bundle)->n_run > OSW_MSG_MAX_CELLS) {
        skip_gang(c, who, "too many implementations for one message");
        return;
    }
    g = begin(c, who);
    if (!g) {
        osw_fail(c->err, OSW_NO_MEMORY, "no memory for a gang");
        return;
    }
    m = osw_peers_task_message(c, who->task);
    m.u.bundle.gang = g->id;
    m.u.bundle.size = who->n;
    m.u.bundle.members = list_members(c, who);
    for (uint32_t i = 0; i < who->n; i++) {
        int rank = rank_of(who->workers[i]);

        m.u.bundle.rank = i;
        if (osw_link_post(&c->peers[rank].link, &m, &err) < 0) {
            if (i > 0) {
                break_up(c, leader, err.text);
                return;
            }
            osw_peers_gang_free(c, leader);
            skip_gang(c, who, err.text);
            return;
        }
        osw_peers_note_mail(c, rank);
    }
    osw_peers_begin(c, leader, &m.u.bundle);
}

void osw_peers_feed_gangs(struct osw_peers *c, int rank)
{
    struct osw_sched_gang who;

    while (!osw_peers_failed(c) && !c->stopping &&
           c->peers[rank].state == OSW_PEER_READY &&
           osw_sched_next_gang(c->sched, osw_peers_worker_of(rank), &who))
        dispatch(c, &who);
}

/* --- what members say --- */

static struct osw_peers_gang *gang_of(const struct osw_peers *c, int rank,
                                      uint64_t id)
{
    struct osw_peers_gang *g = c->peers[rank].gang;

    return g && g->id == id ? g : NULL;
}

void osw_peers_gang_part(struct osw_peers *c, int rank,
                         const struct osw_msg_part *m)
{
    struct osw_peers_gang *g = gang_of(c, rank, m->gang);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg all = {.type = OSW_MSG_PARTS};
    struct osw_sched_gang who;
    int rc;

    if (!g) { /* it was broken before this member began: it need not wait */
        struct osw_msg gone = {.type = OSW_MSG_BROKEN,
                               .u.broken = {m->gang, "the gang is gone"}};

        osw_peers_post(c, rank, &gone);
        return;
    }
    if (g->n_ended > 0) {
        break_up(c, rank, "a member ended before the others");
        return;
    }
    rc = osw_exchange_add(&g->exchange, c->peers[rank].gang_rank, m->exchange,
                          m->bytes, m->n, &err);
    if (rc < 0)
        break_up(c, rank, err.text);
    if (rc <= 0)
        return;
    all.u.parts = (struct osw_msg_parts){m->gang, m->exchange, g->who.n * m->n,
                                         g->exchange.parts};
    who = g->who;
    for (uint32_t i = 0; i < who.n && gang_of(c, rank, m->gang); i++)
        osw_peers_post(c, rank_of(who.workers[i]), &all); /* may end it */
}

void osw_peers_gang_broken(struct osw_peers *c, int rank,
                           const struct osw_msg_broken *m)
{
    char why[300];

    if (!gang_of(c, rank, m->gang))
        return;
    snprintf(why, sizeof(why), "rank %d: %.250s", rank, m->reason);
    break_up(c, rank, why);
}

static bool is_task(const struct osw_peers_gang *g, struct osw_sched_task t)
{
    return g && g->who.task.bundle == t.bundle &&
           g->who.task.attempt == t.attempt;
}

void osw_peers_gang_done(struct osw_peers *c, int rank, struct osw_sched_task t)
{
    struct osw_peers_gang *g = c->peers[rank].gang;
    struct osw_sched_gang who;

    if (!is_task(g, t))
        return;
    if (osw_exchange_is_open(&g->exchange)) {
        break_up(c, rank, "a member ended before the others");
        return;
    }
    if (++g->n_ended < g->who.n)
        return;
    who = g->who;
    osw_peers_gang_free(c, rank);
    feed(c, &who);
}

void osw_peers_gang_given(struct osw_peers *c, int rank,
                          const struct osw_msg_given *m)
{
    if (is_task(c->peers[rank].gang,
                (struct osw_sched_task){m->bundle, m->attempt}))
        break_up(c, rank, "a member gave its bundle back");
}

void osw_peers_gang_loses(struct osw_peers *c, int rank)
{
    char why[40];

    if (!c->peers[rank].gang)
        return;
    snprintf(why, sizeof(why), "rank %d is lost", rank);
    disband(c, rank, why);
    c->feed_all = true; /* later: others of its node may be lost, too */
}

bool osw_peers_gang_is_new(const struct osw_peers *c, int rank)
{
    return c->peers[rank].gang->who.task.attempt == 1;
}

/* --- too large a world --- */

static bool may_get_workers(const struct osw_peers *c)
{
    if (c->config->campaign.prove_ns > 0 && osw_sched_has_doubted(c->sched))
        return true; /* it looks at its device, and says so or leaves */
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state == OSW_PEER_JOINING || osw_peers_may_return(c, r))
            return true;
    return false;
}

void osw_peers_skip_unmet(struct osw_peers *c)
{
    uint32_t b, have;
    char why[160];

    if (c->stopping || !osw_sched_has_gang(c->sched) ||
        osw_sched_n_live(c->sched) == 0 || may_get_workers(c))
        return;
    while (!osw_peers_failed(c) && osw_sched_unmet(c->sched, &b, &have)) {
        uint32_t world = osw_plan_world(osw_peers_bundle_of(c, b));
        bool were_enough = c->out->n_workers >= world;

        snprintf(why, sizeof(why),
                 "world of %" PRIu32 " needs %" PRIu32
                 " workers, there %s %" PRIu32 "%s",
                 world, world, have == 1 ? "is" : "are", have,
                 were_enough ? " since others were lost or left out" : "");
        osw_peers_leave_out(c, (struct osw_sched_task){b, 0},
                            were_enough ? OSW_STATE_LOST : OSW_STATE_SKIPPED,
                            why);
    }
}
