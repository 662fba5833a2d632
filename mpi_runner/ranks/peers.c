/* mpi_runner/ranks/peers.c - the coordinator's workers: their life, work out */
#include "mpi_runner/ranks/peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/transport/neighbour.h"
#include "results/journal/at_work.h"

enum {
    BACKLOG_BYTES = 64 << 10, /* unsent, that end dispatch to a worker */
    CHUNKS = 512,             /* of objects, queued in one turn */
};

static const int64_t help_period_ns = 200000000;

bool osw_peers_failed(const struct osw_peers *c)
{
    return c->err->status != OSW_OK;
}

uint32_t osw_peers_worker_of(int rank)
{
    return (uint32_t)rank - 1;
}

const struct osw_plan_bundle *osw_peers_bundle_of(const struct osw_peers *c,
                                                  uint32_t b)
{
    return &c->plan->bundles[c->bundles[b]];
}

void osw_peers_tell(struct osw_peers *c, enum osw_event_kind kind, int rank,
                    int64_t value, const char *text)
{
    if (!osw_peers_failed(c) &&
        c->ops->event(c->sink, kind, rank, value, text, c->err) < 0)
        osw_error_in(c->err, "cannot record an event");
}

bool osw_peers_is_wary(const struct osw_peers *c)
{
    return c->config->past && c->config->past->died;
}

/* --- peers --- */

void osw_peers_settle_given_up(struct osw_peers *c)
{
    char reason[80];
    uint32_t b;

    snprintf(reason, sizeof(reason), "its worker was lost %" PRIu32 " time%s",
             c->config->max_attempts, osw_plural(c->config->max_attempts));
    while (!osw_peers_failed(c) && !c->stopping &&
           osw_sched_given_up(c->sched, &b))
        for (uint32_t k = 0; k < osw_peers_bundle_of(c, b)->n_run; k++) {
            if (!osw_sched_is_meant(c->sched, b, k))
                continue;
            osw_sched_settle(c->sched, b, k);
            if (osw_ledger_add_unjudged(c->ledger, c->bundles[b], k,
                                        OSW_STATE_LOST, c->config->max_attempts,
                                        reason, c->err) < 0)
                return;
        }
}

static void retire(struct osw_peers *c, int rank, bool killed)
{
    if (killed)
        osw_sched_worker_killed(c->sched, osw_peers_worker_of(rank));
    else
        osw_sched_worker_lost(c->sched, osw_peers_worker_of(rank));
    osw_peers_gang_loses(c, rank);
    osw_peers_settle_given_up(c);
    c->feed_all = true;
}

void osw_peers_retire(struct osw_peers *c, int rank)
{
    retire(c, rank, false);
}

void osw_peers_mark(struct osw_peers *c, int rank)
{
    struct osw_peer *p = &c->peers[rank];

    for (size_t i = 0; i < p->n_unproved; i++)
        osw_peers_tell(c, OSW_EVENT_SUSPECT, rank, (int64_t)p->unproved[i], "");
    if (!osw_peers_failed(c))
        (void)!c->ops->unsound(c->sink, &p->info, rank, c->err);
    c->out->n_suspect += p->n_unproved;
    p->n_unproved = 0;
}

void osw_peers_mark_unproven(struct osw_peers *c, int rank)
{
    struct osw_peer *p = &c->peers[rank];

    if (p->n_unproved == 0 || !p->uuid)
        return;
    snprintf(p->info.health, sizeof(p->info.health),
             "its worker was lost, %zu result%s suspect: it is not known "
             "whether it was sound when they were made",
             p->n_unproved, p->n_unproved == 1 ? " is" : "s are");
    osw_log(OSW_LOG_WARNING, "rank %d: %s", rank, p->info.health);
    osw_peers_mark(c, rank);
}

void osw_peers_lose(struct osw_peers *c, int rank, const char *why)
{
    const struct osw_msg_campaign *m = &c->config->campaign;
    struct osw_peer *p = &c->peers[rank];
    bool had_left = p->state == OSW_PEER_LEFT, killed;

    if (p->state == OSW_PEER_LOST)
        return;
    p->state = OSW_PEER_LOST;
    c->out->n_lost += !had_left; /* else it is counted already */
    killed = osw_at_work_was_killed(m->journal, m->session, rank);
    osw_log(OSW_LOG_WARNING, "rank %d is lost: %s%s", rank, why,
            killed ? "; it was killed from outside" : "");
    /* A resume suspects the cells of a rank that was lost (begun.h). */
    osw_peers_tell(c, had_left ? OSW_EVENT_NOTE : OSW_EVENT_RANK_LOST, rank, 0,
                   why);
    c->transport->ops->forget(c->transport, rank);
    osw_object_table_lost(c->objects, rank);
    if (!p->silent)
        osw_peers_mark_unproven(c, rank);
    retire(c, rank, killed);
}

void osw_peers_lose_silent(struct osw_peers *c, int rank, int64_t silent_ns)
{
    struct osw_peer *p = &c->peers[rank];
    char why[80];

    snprintf(why, sizeof(why), "silent for %.1f s", (double)silent_ns * 1e-9);
    p->silent = p->state != OSW_PEER_LOST && p->state != OSW_PEER_LEFT;
    osw_peers_lose(c, rank, why);
}

bool osw_peers_may_return(const struct osw_peers *c, int rank)
{
    const struct osw_peer *p = &c->peers[rank];

    return p->silent && osw_clock_ns() - p->link.heard_ns <
                            OSW_PATIENCE * c->config->campaign.silence_ns;
}

static void add(struct osw_peers_list *list, int rank, bool *is_in)
{
    if (!*is_in)
        list->ranks[list->n++] = rank;
    *is_in = true;
}

void osw_peers_note_mail(struct osw_peers *c, int rank)
{
    add(&c->to_flush, rank, &c->peers[rank].has_mail);
}

void osw_peers_note_news(struct osw_peers *c, int rank)
{
    add(&c->to_ack, rank, &c->peers[rank].has_news);
}

void osw_peers_post(struct osw_peers *c, int rank, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (c->peers[rank].state == OSW_PEER_LOST)
        return;
    if (osw_link_post(&c->peers[rank].link, m, &err) < 0)
        osw_peers_lose(c, rank, err.text);
    else
        osw_peers_note_mail(c, rank);
}

void osw_peers_acknowledge(struct osw_peers *c)
{
    for (int i = 0; i < c->to_ack.n; i++) {
        int rank = c->to_ack.ranks[i];
        struct osw_peer *p = &c->peers[rank];
        struct osw_msg ack = {.type = OSW_MSG_ACK, .u.ack = {p->n_results}};

        p->has_news = false;
        osw_peers_post(c, rank, &ack);
    }
    c->to_ack.n = 0;
}

/* --- nodes --- */

void osw_peers_settle_on_node(struct osw_peers *c, int rank)
{
    struct osw_peer *p = &c->peers[rank];
    ENTRY host = {.key = p->host, .data = p}, *known = NULL;
    struct osw_peer *other;

    p->next_on_node = rank;
    p->node = osw_peers_worker_of(rank);
    if (!hsearch_r(host, ENTER, &known, &c->hosts))
        return; /* no room: it is alone */
    other = known->data;
    if (other == p)
        return;
    p->node = other->node;
    p->next_on_node = other->next_on_node;
    other->next_on_node = rank;
}

/* --- work out --- */

struct osw_msg osw_peers_task_message(struct osw_peers *c,
                                      struct osw_sched_task t)
{
    const struct osw_plan_bundle *b = osw_peers_bundle_of(c, t.bundle);
    const struct osw_plan_bundle *w = &c->plan->bundles[c->warm_ups[t.bundle]];
    bool failed = osw_sched_has_failed(c->sched, t.bundle);
    bool warm = w != b && !failed; /* only b itself is under suspicion */
    uint32_t n = 0;

    for (uint32_t k = 0; k < b->n_run; k++) {
        if (!osw_sched_is_meant(c->sched, t.bundle, k))
            continue;
        c->space.k[n] = k;
        c->space.keys[n] = b->cell_keys[k];
        c->space.impls[n++] = b->impls[k];
    }
    return (struct osw_msg){
        .type = OSW_MSG_BUNDLE,
        .u.bundle = {.bundle = t.bundle,
                     .attempt = t.attempt,
                     .first_cell = b->first_cell,
                     .op_dir = b->op->dir,
                     .case_text = b->case_text,
                     .fill = b->fill,
                     .warm_up = warm ? w->case_text : "",
                     .warm_up_fill = warm ? w->fill : "",
                     .baselines = b->baselines,
                     .check = b->check,
                     .time = b->time,
                     .flops = b->flops,
                     .bytes = b->bytes,
                     .cost_ns = b->cost_ns,
                     .call_ns = osw_plan_call_ns(b, c->config->campaign.device),
                     .digest = b->digest,
                     .failed = failed,
                     .n = n,
                     .k = c->space.k,
                     .keys = c->space.keys,
                     .impls = c->space.impls},
    };
}

void osw_peers_leave_out(struct osw_peers *c, struct osw_sched_task t,
                         enum osw_state state, const char *why)
{
    for (uint32_t k = 0; k < osw_peers_bundle_of(c, t.bundle)->n_run; k++) {
        if (!osw_sched_is_open(c->sched, t.bundle, k))
            continue;
        osw_sched_settle(c->sched, t.bundle, k);
        if (osw_ledger_add_unjudged(c->ledger, c->bundles[t.bundle], k, state,
                                    t.attempt, why, c->err) < 0)
            return;
    }
}

void osw_peers_skip(struct osw_peers *c, struct osw_sched_task t,
                    const char *why)
{
    osw_peers_leave_out(c, t, OSW_STATE_SKIPPED, why);
}

/* A bundle that cannot be said in a message is skipped, with the reason. */
static void skip_task(struct osw_peers *c, int rank, struct osw_sched_task t,
                      const char *why)
{
    osw_peers_skip(c, t, why);
    osw_sched_finished(c->sched, osw_peers_worker_of(rank), t);
}

void osw_peers_begin(struct osw_peers *c, int rank,
                     const struct osw_msg_bundle *m)
{
    c->urgent |= osw_peers_is_wary(c);
    c->begun = true;
    for (uint32_t i = 0; i < m->n && !osw_peers_failed(c); i++)
        if (c->ops->begin(c->sink, m->first_cell + m->k[i], rank, m->attempt,
                          c->err) < 0)
            return;
}

static void dispatch(struct osw_peers *c, int rank, struct osw_sched_task t)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m;

    if (osw_peers_bundle_of(c, t.bundle)->n_run > OSW_MSG_MAX_CELLS) {
        skip_task(c, rank, t, "too many implementations for one message");
        return;
    }
    m = osw_peers_task_message(c, t);
    if (osw_link_post(&c->peers[rank].link, &m, &err) < 0) {
        skip_task(c, rank, t, err.text);
        return;
    }
    osw_peers_note_mail(c, rank);
    osw_peers_begin(c, rank, &m.u.bundle);
}

/* Two ranks on one GPU are an error before cells run, and a gang needs workers
 * that are not at something else: have all workers of that host said what they
 * found?  One that never does delays the others by at most hold_ns.
 */
static bool is_held(const struct osw_peers *c, int rank)
{
    const struct osw_peer *p = &c->peers[rank];
    int32_t n = 0;
    int r = rank;

    if ((!p->uuid || c->config->campaign.share_gpus) &&
        !osw_sched_has_gang(c->sched))
        return false;
    do {
        n += c->peers[r].state != OSW_PEER_JOINING;
        r = c->peers[r].next_on_node;
    } while (r != rank);
    return n < p->n_local && osw_clock_ns() - p->ready_ns < c->config->hold_ns;
}

void osw_peers_feed(struct osw_peers *c, int rank)
{
    struct osw_peer *p = &c->peers[rank];
    struct osw_sched_task t;

    if (p->state != OSW_PEER_READY)
        return;
    if (!p->is_free && is_held(c, rank)) {
        c->holding = true;
        return;
    }
    p->is_free = true;
    osw_peers_feed_gangs(c, rank);
    while (!osw_peers_failed(c) && !c->stopping && p->state == OSW_PEER_READY &&
           osw_outbox_waiting(&p->link.out) < (size_t)BACKLOG_BYTES &&
           osw_sched_next(c->sched, osw_peers_worker_of(rank), &t)) {
        if (osw_sched_n_flying(c->sched, osw_peers_worker_of(rank)) == 1)
            p->at_ns = p->began_ns = osw_clock_ns();
        dispatch(c, rank, t);
    }
}

void osw_peers_feed_node(struct osw_peers *c, int rank)
{
    int r = rank;

    do {
        osw_peers_feed(c, r);
        r = c->peers[r].next_on_node;
    } while (r != rank);
}

/* What of the bundle has no result yet. */
static struct osw_peers_case case_at(const struct osw_peers *c, uint32_t bundle,
                                     int64_t since_ns)
{
    const struct osw_plan_bundle *b = osw_peers_bundle_of(c, bundle);
    struct osw_peers_case at = {b->op_name, "", 0, since_ns};

    for (uint32_t k = 0; k < b->n_run; k++)
        if (osw_sched_is_meant(c->sched, bundle, k) && at.n_open++ == 0)
            at.impl = b->impls[k];
    return at;
}

uint32_t osw_peers_running(const struct osw_peers *c,
                           struct osw_peers_case *longest)
{
    uint32_t n = 0;

    for (int r = 1; r < c->transport->size; r++) {
        const struct osw_peer *p = &c->peers[r];

        if (p->state != OSW_PEER_READY ||
            osw_sched_n_flying(c->sched, osw_peers_worker_of(r)) == 0)
            continue;
        if (n++ > 0 && p->at_ns >= longest->since_ns)
            continue;
        *longest = case_at(
            c, osw_sched_current(c->sched, osw_peers_worker_of(r)), p->at_ns);
    }
    return n;
}

static void flush(struct osw_peers *c, int rank, int64_t now)
{
    struct osw_peer *p = &c->peers[rank];
    struct osw_error err = OSW_ERROR_INIT;

    if (p->state != OSW_PEER_LOST &&
        osw_link_flush(&p->link, true, now, &err) < 0)
        osw_peers_lose(c, rank, err.text);
}

/* A rank that is lost here leaves mail for others of its gang: those that had
 * theirs stay on the list until all have.
 */
void osw_peers_flush(struct osw_peers *c, int64_t now)
{
    int n = 0;

    for (int i = 0; i < c->to_flush.n; i++)
        flush(c, c->to_flush.ranks[i], now);
    for (int i = 0; i < c->to_flush.n; i++) {
        int rank = c->to_flush.ranks[i];
        struct osw_peer *p = &c->peers[rank];

        p->has_mail =
            p->state != OSW_PEER_LOST && osw_outbox_waiting(&p->link.out) > 0;
        if (p->has_mail)
            c->to_flush.ranks[n++] = rank;
    }
    c->to_flush.n = n;
}

/* For one more frame: outboxes keep the memory that they ever needed. */
static bool has_room(void *arg, int rank)
{
    const struct osw_peers *c = arg;

    return osw_outbox_waiting(&c->peers[rank].link.out) < OSW_FRAME_MAX;
}

bool osw_peers_send_objects(struct osw_peers *c)
{
    struct osw_msg m;
    int rank, n = 0;

    while (n < CHUNKS &&
           osw_object_table_next(c->objects, has_room, c, &rank, &m)) {
        osw_peers_post(c, rank, &m);
        n++;
    }
    return n > 0;
}

void osw_peers_balance(struct osw_peers *c)
{
    if (c->stopping || !osw_sched_is_uneven(c->sched))
        return;
    for (int r = 1; r < c->transport->size; r++) {
        uint32_t n = osw_sched_n_to_return(c->sched, osw_peers_worker_of(r));
        struct osw_msg m = {.type = OSW_MSG_RECALL, .u.recall = {n}};

        if (n == 0 || c->peers[r].recalled)
            continue;
        c->peers[r].recalled = true;
        osw_peers_post(c, r, &m);
    }
}

/* --- second copies --- */

static bool may_help(const struct osw_peers *c, int rank)
{
    return c->peers[rank].state == OSW_PEER_READY && c->peers[rank].is_free &&
           osw_sched_is_idle(c->sched, osw_peers_worker_of(rank));
}

/* A worker with nothing to do, on another node if there is one; 0: none. */
static int find_helper(struct osw_peers *c, int late)
{
    int n = c->transport->size - 1, found = 0;

    for (int i = 0; i < n; i++) {
        int rank = 1 + (c->next_helper + i) % n;

        if (!may_help(c, rank))
            continue;
        found = rank;
        if (strcmp(c->peers[rank].host, c->peers[late].host) != 0)
            break;
    }
    if (found)
        c->next_helper = found % n;
    return found;
}

static void help(struct osw_peers *c, int late, int64_t elapsed_ns)
{
    int helper = find_helper(c, late);
    uint32_t at = osw_sched_current(c->sched, osw_peers_worker_of(late));
    struct osw_sched_task t;
    char text[120];

    if (!helper)
        return;
    t = osw_sched_twin(c->sched, osw_peers_worker_of(late),
                       osw_peers_worker_of(helper));
    snprintf(text, sizeof(text),
             t.bundle == at
                 ? "judges what rank %d has been at for %.1f s, too"
                 : "judges what has waited at rank %d for %.1f s, too",
             late, (double)elapsed_ns * 1e-9);
    osw_log(OSW_LOG_INFO, "rank %d %s", helper, text);
    osw_peers_tell(c, OSW_EVENT_TWIN, helper,
                   (int64_t)osw_peers_bundle_of(c, t.bundle)->first_cell, text);
    c->peers[helper].at_ns = c->peers[helper].began_ns = osw_clock_ns();
    dispatch(c, helper, t);
}

void osw_peers_help(struct osw_peers *c, int64_t now_ns)
{
    if (c->stopping || now_ns - c->helped_ns < help_period_ns ||
        osw_sched_has_queued(c->sched))
        return;
    c->helped_ns = now_ns;
    for (int r = 1; r < c->transport->size && !osw_peers_failed(c); r++) {
        int64_t elapsed_ns = now_ns - c->peers[r].began_ns;

        if (c->peers[r].state == OSW_PEER_READY &&
            osw_sched_is_late(c->sched, osw_peers_worker_of(r), elapsed_ns))
            help(c, r, elapsed_ns);
    }
}

/* --- begin and end --- */

int osw_peers_set_up(struct osw_peers *c, struct osw_error *err)
{
    size_t n = (size_t)c->transport->size;

    c->peers = calloc(n, sizeof(*c->peers));
    c->to_flush.ranks = calloc(n, sizeof(int));
    c->to_ack.ranks = calloc(n, sizeof(int));
    c->objects = osw_object_table_create(OSW_OBJECT_TABLE_BYTES);
    for (int r = 1; c->peers && r < c->transport->size; r++) {
        osw_link_open(&c->peers[r].link, c->transport, r, c->start_ns);
        c->peers[r].watch_fd = -1; /* tear_down closes what is open */
    }
    if (!c->peers || !c->to_flush.ranks || !c->to_ack.ranks || !c->objects ||
        !hcreate_r(n + n / 4 + 1, &c->hosts))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu ranks", n);
    return 0;
}

void osw_peers_tear_down(struct osw_peers *c)
{
    for (int r = 1; c->peers && r < c->transport->size; r++) {
        struct osw_peer *p = &c->peers[r];

        osw_link_close(&p->link);
        if (p->watch_fd >= 0)
            close(p->watch_fd);
        free(p->host);
        free(p->device);
        free(p->uuid);
        free(p->unproved);
        osw_peers_gang_free(c, r);
    }
    hdestroy_r(&c->hosts);
    free(c->to_flush.ranks);
    free(c->to_ack.ranks);
    osw_object_table_destroy(c->objects);
    free(c->peers);
}
