/* mpi_runner/ranks/peers_receive.c - what follows from a worker's message */
#include "mpi_runner/ranks/peers_receive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/transport/neighbour.h"

enum { MAX_POLLS = 256 }; /* frames taken in a row */

static void on_hello(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    const struct osw_msg_hello *h = &m->u.hello;
    struct osw_peer *p = &c->peers[rank];
    struct osw_msg campaign = {.type = OSW_MSG_CAMPAIGN,
                               .u.campaign = c->config->campaign};
    char why[80];

    if (h->version != OSW_MSG_VERSION) {
        snprintf(why, sizeof(why),
                 "speaks version %" PRIu32 " of the messages, expected %d",
                 h->version, OSW_MSG_VERSION);
        osw_peers_lose(c, rank, why);
        return;
    }
    if (p->host)
        return;
    p->host = strdup(h->host);
    if (!p->host) {
        osw_peers_lose(c, rank, "no memory for its host's name");
        return;
    }
    osw_peers_settle_on_node(c, rank);
    p->n_local = h->n_local;
    p->watch_fd = osw_neighbour_watch(p->host, h->pid, h->born);
    if (p->watch_fd < 0 && /* while this rank planned, perhaps */
        osw_neighbour_has_ended(p->host, h->pid, h->born, h->pid_space)) {
        osw_peers_lose(c, rank, "its process has ended");
        return;
    }
    osw_peers_post(c, rank, &campaign);
}

/* Keep the first reason for which a worker judges nothing. */
static void note_unfit(struct osw_peers *c, int rank, const char *why)
{
    if (!*c->out->unfit)
        snprintf(c->out->unfit, sizeof(c->out->unfit), "rank %d: %.560s", rank,
                 why);
}

/* Its device is not usable: it judges nothing, the others go on. */
static void exclude(struct osw_peers *c, int rank,
                    const struct osw_device_info *device)
{
    const struct osw_peer *p = &c->peers[rank];
    char why[900];

    snprintf(why, sizeof(why), "%s %d%s%s on %.100s: %s", device->kind,
             device->index, *device->uuid ? ", " : "", device->uuid, p->host,
             device->health);
    osw_log(OSW_LOG_WARNING, "rank %d is left out: %s", rank, why);
    osw_peers_tell(c, OSW_EVENT_QUARANTINE, rank, device->index, why);
    note_unfit(c, rank, why);
    c->peers[rank].state = OSW_PEER_LEFT;
    c->out->n_unfit++;
    osw_peers_retire(c, rank);
}

/* Did another rank of its host find the same GPU?  Then the campaign ends. */
static bool shares_gpu(struct osw_peers *c, int rank)
{
    const struct osw_peer *p = &c->peers[rank];

    if (!p->uuid || c->config->campaign.share_gpus)
        return false;
    for (int r = p->next_on_node; r != rank; r = c->peers[r].next_on_node) {
        const struct osw_peer *q = &c->peers[r];

        if (q->state == OSW_PEER_LOST || !q->uuid ||
            strcmp(q->uuid, p->uuid) != 0)
            continue;
        osw_fail(c->err, OSW_BAD_INPUT,
                 "ranks %d and %d on %.100s both found GPU %s; cure: let "
                 "every rank see all GPUs of its node (srun without --gpu-bind "
                 "and --gpus-per-task), or let them share by --share-gpus",
                 r < rank ? r : rank, r < rank ? rank : r, p->host, p->uuid);
        return true;
    }
    return false;
}

static void on_ready(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    struct osw_peer *p = &c->peers[rank];
    const struct osw_device_info *device = &m->u.ready.device;

    if (p->state != OSW_PEER_JOINING || !p->host)
        return;
    p->info = *device;
    p->device = strdup(device->name);
    p->uuid = *device->uuid ? strdup(device->uuid) : NULL;
    if (!p->device || (*device->uuid && !p->uuid)) {
        osw_peers_lose(c, rank, "no memory for its name");
        return;
    }
    if (c->ops->device(c->sink, p->host, device, rank, c->err) < 0)
        return;
    if (!m->u.ready.fit)
        exclude(c, rank, device);
    if (shares_gpu(c, rank) || !m->u.ready.fit)
        return;
    p->state = OSW_PEER_READY;
    p->ready_ns = osw_clock_ns();
    c->out->n_workers++;
    osw_sched_worker_ready(c->sched, osw_peers_worker_of(rank), p->node);
    osw_peers_feed_node(c, rank);
}

static void on_proved(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    struct osw_peer *p = &c->peers[rank];

    p->n_unproved = 0;
    p->n_proofs++;
    p->proofs_ns += m->u.proved.took_ns;
    if (osw_sched_worker_sound(c->sched, osw_peers_worker_of(rank)))
        c->feed_all = true; /* gangs may need it */
}

/* Note a cell that a worker judged, until its device was found sound. */
static void note_unproved(struct osw_peers *c, struct osw_peer *p,
                          uint64_t cell)
{
    if (c->config->campaign.prove_ns == 0)
        return;
    if (p->n_unproved == p->size_unproved) {
        size_t size = p->size_unproved ? 2 * p->size_unproved : 64;
        uint64_t *cells = realloc(p->unproved, size * sizeof(*cells));

        if (!cells) {
            osw_fail(c->err, OSW_NO_MEMORY, "no memory for a cell's number");
            return;
        }
        p->unproved = cells;
        p->size_unproved = size;
    }
    p->unproved[p->n_unproved++] = cell;
}

/* Of a gang every member's device had a part in it. */
static void note_all_unproved(struct osw_peers *c, int rank, uint64_t cell)
{
    struct osw_sched_gang who = {.n = 1,
                                 .workers = {osw_peers_worker_of(rank)}};

    (void)osw_sched_gang_of(c->sched, osw_peers_worker_of(rank), &who);
    for (uint32_t i = 0; i < who.n; i++)
        note_unproved(c, &c->peers[who.workers[i] + 1], cell);
}

/* Its device failed: it judges nothing more, and what it judged since it was
 * last seen to be sound is marked.
 */
static void quarantine(struct osw_peers *c, int rank, const char *reason)
{
    struct osw_peer *p = &c->peers[rank];
    struct osw_device_info *d = &p->info;
    char why[900];

    snprintf(d->health, sizeof(d->health),
             "failed later, %zu result%s suspect: %.400s", p->n_unproved,
             p->n_unproved == 1 ? " is" : "s are", reason);
    snprintf(why, sizeof(why), "%s %d%s%s on %.100s %s", d->kind, d->index,
             *d->uuid ? ", " : "", d->uuid, p->host, d->health);
    osw_log(OSW_LOG_WARNING, "rank %d is left out: %s", rank, why);
    osw_peers_tell(c, OSW_EVENT_QUARANTINE, rank, d->index, why);
    osw_peers_mark(c, rank);
    note_unfit(c, rank, why);
    p->state = OSW_PEER_LEFT;
    c->out->n_unsound++;
    osw_peers_retire(c, rank);
}

static void on_leave(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    if (m->u.leave.unsound && c->peers[rank].host) {
        quarantine(c, rank, m->u.leave.reason);
        return;
    }
    osw_log(OSW_LOG_WARNING, "rank %d stops judging: %s", rank,
            m->u.leave.reason);
    osw_peers_tell(c, OSW_EVENT_DEVICE_LOST, rank, 0, m->u.leave.reason);
    note_unfit(c, rank, m->u.leave.reason);
    osw_peers_mark_unproven(c, rank);
    c->peers[rank].state = OSW_PEER_LEFT;
    c->out->n_lost++;
    osw_peers_retire(c, rank);
}

/* Compiling is left out: the next time it is done.  What did not run to its end
 * took as long as its deadline.
 */
static void note_cost(struct osw_peers *c, const struct osw_msg_result *r)
{
    const struct osw_plan_bundle *b = osw_peers_bundle_of(c, r->bundle);
    struct osw_cost_history_op *op = c->histories[r->bundle];

    if (!op || r->record.wall_ns < r->record.build_ns ||
        osw_state_group(r->record.status_id) == OSW_GROUP_ERROR)
        return;
    op->took_ns += (double)(r->record.wall_ns - r->record.build_ns);
    op->predicted_ns += (double)b->cost_ns / b->n_run;
    op->n_cells++;
}

static void on_result(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    const struct osw_msg_result *r = &m->u.result;
    struct osw_peer *p = &c->peers[rank];
    struct osw_sched_task t = {r->bundle, r->record.attempt};
    enum osw_state state = (enum osw_state)r->record.status_id;
    bool infra = osw_state_group(state) == OSW_GROUP_INFRA;

    p->at_ns = osw_clock_ns();
    switch (
        osw_sched_result(c->sched, osw_peers_worker_of(rank), t, r->k, infra)) {
    case OSW_SCHED_FRESH:
        p->n_results++;
        osw_peers_note_news(c, rank);
        c->out->n_judged++;
        c->urgent |= osw_peers_is_wary(c);
        (void)!osw_ledger_add(c->ledger, c->bundles[r->bundle], r->k,
                              &r->record,
                              (struct osw_place){p->host, p->device}, c->err);
        if (!infra) /* else another session's result stands for it */
            note_all_unproved(
                c, rank, osw_peers_bundle_of(c, r->bundle)->first_cell + r->k);
        note_cost(c, r);
        break;
    case OSW_SCHED_RETRY:
        c->feed_all = true; /* workers that were held with it are free */
        osw_peers_tell(c, OSW_EVENT_RETRY, rank, (int64_t)r->record.cell,
                       r->record.reason);
        break;
    case OSW_SCHED_DUPLICATE:
    case OSW_SCHED_STALE:
        c->out->n_stale++;
        osw_peers_tell(c, OSW_EVENT_STALE, rank, (int64_t)r->record.cell, "");
        break;
    case OSW_SCHED_OVERTAKEN:
        c->out->n_overtaken++;
        break;
    }
}

static void on_done(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    struct osw_sched_task t = {m->u.done.bundle, m->u.done.attempt};

    c->peers[rank].at_ns = c->peers[rank].began_ns = osw_clock_ns();
    osw_sched_finished(c->sched, osw_peers_worker_of(rank), t);
    osw_peers_gang_done(c, rank, t);
    if (osw_sched_n_out(c->sched) == 0)
        c->feed_all = true; /* what goes alone may be another worker's */
    osw_peers_settle_given_up(c);
}

static void on_given(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    const struct osw_msg_given *g = &m->u.given;

    osw_sched_returned(c->sched, osw_peers_worker_of(rank),
                       (struct osw_sched_task){g->bundle, g->attempt});
    osw_peers_gang_given(c, rank, g);
    if (g->n_left > 0)
        return;
    c->peers[rank].recalled = false;
    c->feed_all = true;
}

/* What it cost to see whether its device is sound. */
static void tell_proofs(struct osw_peers *c, int rank)
{
    const struct osw_peer *p = &c->peers[rank];
    char text[120];

    if (p->n_proofs == 0)
        return;
    snprintf(text, sizeof(text),
             "its device was found sound %" PRIu32 " time%s, %.3f ms each",
             p->n_proofs, osw_plural(p->n_proofs),
             (double)p->proofs_ns * 1e-6 / p->n_proofs);
    osw_peers_tell(c, OSW_EVENT_NOTE, rank, p->proofs_ns, text);
}

static void on_summary(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    const struct osw_msg_summary *s = &m->u.summary;
    struct osw_rank_summary r = {
        .rank = rank,
        .wall_ns = s->wall_ns,
        .build_ns = s->build_ns,
        .fill_ns = s->fill_ns,
        .reference_ns = s->reference_ns,
        .run_ns = s->run_ns,
        .verify_ns = s->verify_ns,
        .time_ns = s->time_ns,
        .wait_ns = s->wait_ns,
        .idle_ns = s->idle_ns,
        .n_cells = (int64_t)c->peers[rank].n_results,
    };

    if (!c->stopping || c->peers[rank].state == OSW_PEER_SUMMED)
        return;
    c->peers[rank].state = OSW_PEER_SUMMED;
    if (c->peers[rank].device)
        (void)!c->ops->rank(c->sink, &r, c->err);
    tell_proofs(c, rank);
}

static void on_log(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    (void)c;
    osw_log(OSW_LOG_INFO, "rank %d: %s", rank, m->u.log.text);
}

static void on_want(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    osw_object_table_want(c->objects, rank, m->u.want.id);
}

/* Code that is of no use is no loss: every rank gets it as without MPI. */
static void on_object(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    char why[700];

    if (osw_object_table_take(c->objects, rank, &m->u.object, &err) == 0)
        return;
    snprintf(why, sizeof(why),
             "compiled code is not sent on, ranks read it "
             "from the build cache: %s",
             err.text);
    osw_log(OSW_LOG_WARNING, "rank %d: %s", rank, why);
    osw_peers_tell(c, OSW_EVENT_NOTE, rank, 0, why);
}

static void on_part(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    osw_peers_gang_part(c, rank, &m->u.part);
}

static void on_broken(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    osw_peers_gang_broken(c, rank, &m->u.broken);
}

static void (*const handlers[])(struct osw_peers *c, int rank,
                                const struct osw_msg *m) = {
    [OSW_MSG_HELLO] = on_hello,   [OSW_MSG_READY] = on_ready,
    [OSW_MSG_LEAVE] = on_leave,   [OSW_MSG_RESULT] = on_result,
    [OSW_MSG_DONE] = on_done,     [OSW_MSG_SUMMARY] = on_summary,
    [OSW_MSG_LOG] = on_log,       [OSW_MSG_GIVEN] = on_given,
    [OSW_MSG_PROVED] = on_proved, [OSW_MSG_HEARTBEAT] = NULL,
    [OSW_MSG_WANT] = on_want,     [OSW_MSG_OBJECT] = on_object,
    [OSW_MSG_PART] = on_part,     [OSW_MSG_BROKEN] = on_broken,
};

/* A rank that was lost because of its silence sends a message: its link was
 * down, or it was stopped for a while.  Its bundles went to other workers, so
 * its results of them are stale; it may get new work.
 */
static void readmit(struct osw_peers *c, int rank)
{
    struct osw_peer *p = &c->peers[rank];
    struct osw_msg back = {.type = OSW_MSG_RECALL, .u.recall = {UINT32_MAX}};
    struct osw_msg stop = {.type = OSW_MSG_STOP, .u.stop = {.now = true}};

    p->silent = false;
    p->state = p->device ? OSW_PEER_READY : OSW_PEER_JOINING;
    c->out->n_lost--;
    c->transport->ops->remember(c->transport, rank);
    osw_peers_note_mail(c, rank);
    osw_log(OSW_LOG_WARNING, "rank %d is back", rank);
    osw_peers_tell(c, OSW_EVENT_NOTE, rank, 0, "a lost rank is back");
    if (c->stopping) {
        osw_peers_post(c, rank, &stop);
    } else if (p->device) {
        p->recalled = true;
        osw_peers_post(c, rank, &back);
        osw_sched_worker_ready(c->sched, osw_peers_worker_of(rank), p->node);
    }
}

/* Returns whether it said more than that the rank is alive. */
static bool read_frame(struct osw_peers *c, int rank,
                       const unsigned char *frame, size_t n)
{
    struct osw_inbox *in = &c->peers[rank].link.in;
    struct osw_error err = OSW_ERROR_INIT;
    bool news = false;
    const void *data;
    uint8_t type;
    int rc = osw_inbox_open(in, frame, n, &err);

    while (rc == 0 && !osw_peers_failed(c) &&
           c->peers[rank].state != OSW_PEER_LOST) {
        struct osw_msg m;

        if (osw_inbox_next(in, &type, &data, &n, &err) != 1)
            break;
        rc = osw_msg_decode(OSW_MSG_TO_COORDINATOR, type, data, n, &c->space,
                            &m, &err);
        if (rc == 0 && handlers[m.type]) {
            handlers[m.type](c, rank, &m);
            news = true;
        }
    }
    if (err.status != OSW_OK)
        osw_peers_lose(c, rank, err.text);
    return news;
}

/* Take what came; returns whether something did. */
bool osw_peers_receive(struct osw_peers *c)
{
    struct osw_transport *t = c->transport;
    unsigned char frame[OSW_FRAME_MAX];
    bool got = false;

    for (int i = 0; i < MAX_POLLS && !osw_peers_failed(c); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int peer = 0, rc;
        size_t n = 0;

        rc = t->ops->poll(t, &peer, frame, &n, &err);
        if (rc == 0)
            break;
        got = true;
        if (peer < 1 || peer >= t->size)
            continue;
        if (c->peers[peer].silent)
            readmit(c, peer);
        if (c->peers[peer].state == OSW_PEER_LOST)
            continue;
        c->peers[peer].link.heard_ns = osw_clock_ns();
        if (rc < 0)
            osw_peers_lose(c, peer, err.text);
        /* A heartbeat makes no room for more work. */
        else if (read_frame(c, peer, frame, n) ||
                 osw_sched_n_flying(c->sched, osw_peers_worker_of(peer)) == 0)
            osw_peers_feed(c, peer);
    }
    return got;
}
