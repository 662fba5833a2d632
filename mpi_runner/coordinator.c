/* mpi_runner/coordinator.c - rank 0: hands out bundles, takes in records */
#include "mpi_runner/coordinator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/link.h"
#include "mpi_runner/sched.h"

enum {
    MAX_POLLS = 256,          /* frames taken in a row */
    BACKLOG_BYTES = 64 << 10, /* unsent bundles that end dispatch to a worker */
};

static const int64_t look_period_ns = 20000000; /* beats, silence, signals */

const struct osw_coordinator_config osw_coordinator_defaults = {
    .max_attempts = 3,
    .max_ahead = 512,
    .ahead_ns = 20000000,
    .start_ns = (int64_t)300 * 1000000000,
    .drain_ns = (int64_t)20 * 1000000000,
};

enum peer_state {
    PEER_JOINING, /* has not said that it is ready */
    PEER_READY,
    PEER_LEFT,   /* judges no more, but listens */
    PEER_SUMMED, /* said its last word */
    PEER_LOST,
};

struct peer {
    struct osw_link link;
    enum peer_state state;
    char *host, *device; /* owned; NULL: not said yet */
    uint64_t n_results;  /* recorded */
    uint64_t n_acked;
    bool told_end;
};

struct coordinator {
    const struct osw_plan *plan;
    const struct osw_coordinator_config *config;
    const struct osw_sink_ops *ops;
    void *sink;
    struct osw_transport *transport;
    osw_sched_t *sched;
    osw_ledger_t *ledger;
    uint32_t *bundles;  /* by number in sched: number in the plan */
    uint32_t n_bundles; /* that run */
    struct peer *peers; /* [size], by rank; 0 is unused */
    struct osw_msg_space space;
    struct osw_outcome *out;
    struct osw_error *err; /* set: the campaign ends */
    int64_t start_ns, looked_ns;
    bool feed_all; /* work came back, or a worker came */
    bool stopping;
};

static bool failed(const struct coordinator *c)
{
    return c->err->status != OSW_OK;
}

static uint32_t worker_of(int rank)
{
    return (uint32_t)rank - 1;
}

static const struct osw_plan_bundle *bundle_of(const struct coordinator *c,
                                               uint32_t b)
{
    return &c->plan->bundles[c->bundles[b]];
}

static void tell(struct coordinator *c, enum osw_event_kind kind, int rank,
                 int64_t value, const char *text)
{
    if (!failed(c) &&
        c->ops->event(c->sink, kind, rank, value, text, c->err) < 0)
        osw_error_in(c->err, "cannot record an event");
}

/* --- peers --- */

/* Cells that nobody will try again become `lost`. */
static void settle_given_up(struct coordinator *c)
{
    char reason[80];
    uint32_t b;

    snprintf(reason, sizeof(reason), "its worker was lost %" PRIu32 " times",
             c->config->max_attempts);
    while (!failed(c) && osw_sched_given_up(c->sched, &b))
        for (uint32_t k = 0; k < bundle_of(c, b)->n_run; k++) {
            if (!osw_sched_is_open(c->sched, b, k))
                continue;
            osw_sched_settle(c->sched, b, k);
            if (osw_ledger_add_unjudged(c->ledger, c->bundles[b], k,
                                        OSW_STATE_LOST, c->config->max_attempts,
                                        reason, c->err) < 0)
                return;
        }
}

static void retire(struct coordinator *c, int rank)
{
    osw_sched_worker_lost(c->sched, worker_of(rank));
    settle_given_up(c);
    c->feed_all = true;
}

static void lose(struct coordinator *c, int rank, const char *why)
{
    struct peer *p = &c->peers[rank];

    if (p->state == PEER_LOST)
        return;
    p->state = PEER_LOST;
    c->out->n_lost++;
    osw_log(OSW_LOG_WARNING, "rank %d is lost: %s", rank, why);
    tell(c, OSW_EVENT_RANK_LOST, rank, 0, why);
    c->transport->ops->forget(c->transport, rank);
    retire(c, rank);
}

static void post(struct coordinator *c, int rank, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (c->peers[rank].state != PEER_LOST &&
        osw_link_post(&c->peers[rank].link, m, &err) < 0)
        lose(c, rank, err.text);
}

/* --- work out --- */

/* What of a task is not settled yet, as a message; its lists are in space. */
static struct osw_msg task_message(struct coordinator *c,
                                   struct osw_sched_task t)
{
    const struct osw_plan_bundle *b = bundle_of(c, t.bundle);
    uint32_t n = 0;

    for (uint32_t k = 0; k < b->n_run; k++) {
        if (!osw_sched_is_open(c->sched, t.bundle, k))
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
                     .baseline = b->baseline,
                     .check = (uint8_t)b->check,
                     .time = b->time,
                     .flops = b->flops,
                     .bytes = b->bytes,
                     .cost_ns = b->cost_ns,
                     .n = n,
                     .k = c->space.k,
                     .keys = c->space.keys,
                     .impls = c->space.impls},
    };
}

/* A bundle that cannot be said in a message is skipped, with the reason. */
static void skip_task(struct coordinator *c, int rank, struct osw_sched_task t,
                      const char *why)
{
    for (uint32_t k = 0; k < bundle_of(c, t.bundle)->n_run; k++) {
        if (!osw_sched_is_open(c->sched, t.bundle, k))
            continue;
        osw_sched_settle(c->sched, t.bundle, k);
        if (osw_ledger_add_unjudged(c->ledger, c->bundles[t.bundle], k,
                                    OSW_STATE_SKIPPED, t.attempt, why,
                                    c->err) < 0)
            return;
    }
    osw_sched_finished(c->sched, worker_of(rank), t);
}

static void dispatch(struct coordinator *c, int rank, struct osw_sched_task t)
{
    const struct osw_plan_bundle *b = bundle_of(c, t.bundle);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m;

    if (b->n_run > OSW_MSG_MAX_CELLS) {
        skip_task(c, rank, t, "too many implementations for one message");
        return;
    }
    m = task_message(c, t);
    if (osw_link_post(&c->peers[rank].link, &m, &err) < 0) {
        skip_task(c, rank, t, err.text);
        return;
    }
    for (uint32_t i = 0; i < m.u.bundle.n && !failed(c); i++)
        if (c->ops->begin(c->sink, b->first_cell + m.u.bundle.k[i], rank,
                          t.attempt, c->err) < 0)
            return;
}

static void feed(struct coordinator *c, int rank)
{
    struct peer *p = &c->peers[rank];
    struct osw_sched_task t;

    while (!failed(c) && !c->stopping && p->state == PEER_READY &&
           osw_outbox_waiting(&p->link.out) < (size_t)BACKLOG_BYTES &&
           osw_sched_next(c->sched, worker_of(rank), &t))
        dispatch(c, rank, t);
}

static void flush(struct coordinator *c, int rank, int64_t now)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (c->peers[rank].state != PEER_LOST &&
        osw_link_flush(&c->peers[rank].link, true, now, &err) < 0)
        lose(c, rank, err.text);
}

/* --- messages in --- */

static void on_hello(struct coordinator *c, int rank, const struct osw_msg *m)
{
    struct peer *p = &c->peers[rank];
    struct osw_msg campaign = {.type = OSW_MSG_CAMPAIGN,
                               .u.campaign = c->config->campaign};
    char why[80];

    if (m->u.hello.version != OSW_MSG_VERSION) {
        snprintf(why, sizeof(why),
                 "speaks version %" PRIu32 " of the messages, expected %d",
                 m->u.hello.version, OSW_MSG_VERSION);
        lose(c, rank, why);
        return;
    }
    free(p->host);
    p->host = strdup(m->u.hello.host);
    post(c, rank, &campaign);
}

static void on_ready(struct coordinator *c, int rank, const struct osw_msg *m)
{
    struct peer *p = &c->peers[rank];

    if (p->state != PEER_JOINING || !p->host)
        return;
    p->device = strdup(m->u.ready.device);
    if (!p->device) {
        lose(c, rank, "no memory for its name");
        return;
    }
    p->state = PEER_READY;
    c->out->n_workers++;
    c->feed_all = true;
    if (c->ops->device(c->sink, p->host, p->device, rank, c->err) == 0)
        osw_sched_worker_ready(c->sched, worker_of(rank));
}

static void on_leave(struct coordinator *c, int rank, const struct osw_msg *m)
{
    osw_log(OSW_LOG_WARNING, "rank %d stops judging: %s", rank,
            m->u.leave.reason);
    tell(c, OSW_EVENT_DEVICE_LOST, rank, 0, m->u.leave.reason);
    c->peers[rank].state = PEER_LEFT;
    c->out->n_lost++;
    retire(c, rank);
}

static void on_result(struct coordinator *c, int rank, const struct osw_msg *m)
{
    const struct osw_msg_result *r = &m->u.result;
    struct peer *p = &c->peers[rank];
    struct osw_sched_task t = {r->bundle, r->record.attempt};
    enum osw_state state = (enum osw_state)r->record.status_id;
    bool infra = osw_state_group(state) == OSW_GROUP_INFRA;

    switch (osw_sched_result(c->sched, worker_of(rank), t, r->k, infra)) {
    case OSW_SCHED_FRESH:
        p->n_results++;
        (void)!osw_ledger_add(c->ledger, c->bundles[r->bundle], r->k,
                              &r->record,
                              (struct osw_place){p->host, p->device}, c->err);
        break;
    case OSW_SCHED_RETRY:
        tell(c, OSW_EVENT_RETRY, rank, (int64_t)r->record.cell,
             r->record.reason);
        break;
    case OSW_SCHED_DUPLICATE:
    case OSW_SCHED_STALE:
        c->out->n_stale++;
        tell(c, OSW_EVENT_STALE, rank, (int64_t)r->record.cell, "");
        break;
    }
}

static void on_done(struct coordinator *c, int rank, const struct osw_msg *m)
{
    struct osw_sched_task t = {m->u.done.bundle, m->u.done.attempt};

    osw_sched_finished(c->sched, worker_of(rank), t);
    settle_given_up(c);
}

static void on_summary(struct coordinator *c, int rank, const struct osw_msg *m)
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

    if (!c->stopping || c->peers[rank].state == PEER_SUMMED)
        return;
    c->peers[rank].state = PEER_SUMMED;
    if (c->peers[rank].device)
        (void)!c->ops->rank(c->sink, &r, c->err);
}

static void on_log(struct coordinator *c, int rank, const struct osw_msg *m)
{
    (void)c;
    osw_log(OSW_LOG_INFO, "rank %d: %s", rank, m->u.log.text);
}

static void (*const handlers[])(struct coordinator *c, int rank,
                                const struct osw_msg *m) = {
    [OSW_MSG_HELLO] = on_hello, [OSW_MSG_READY] = on_ready,
    [OSW_MSG_LEAVE] = on_leave, [OSW_MSG_RESULT] = on_result,
    [OSW_MSG_DONE] = on_done,   [OSW_MSG_SUMMARY] = on_summary,
    [OSW_MSG_LOG] = on_log,     [OSW_MSG_BEAT] = NULL,
};

/* A rank that was given up speaks: it may go. */
static void dismiss(struct coordinator *c, int rank)
{
    struct peer *p = &c->peers[rank];
    struct osw_msg end = {.type = OSW_MSG_END, .u.end = {.lost = true}};
    struct osw_error err = OSW_ERROR_INIT;

    if (p->told_end)
        return;
    p->told_end = true;
    tell(c, OSW_EVENT_NOTE, rank, 0, "a lost rank came back, and was sent off");
    osw_outbox_free(&p->link.out);
    if (osw_link_post(&p->link, &end, &err) == 0)
        (void)!osw_link_flush(&p->link, true, osw_clock_ns(), &err);
}

static void read_frame(struct coordinator *c, int rank,
                       const unsigned char *frame, size_t n)
{
    struct osw_inbox *in = &c->peers[rank].link.in;
    struct osw_error err = OSW_ERROR_INIT;
    const void *data;
    uint8_t type;
    int rc = osw_inbox_open(in, frame, n, &err);

    while (rc == 0 && !failed(c) && c->peers[rank].state != PEER_LOST) {
        struct osw_msg m;

        if (osw_inbox_next(in, &type, &data, &n, &err) != 1)
            break;
        rc = osw_msg_decode(OSW_MSG_TO_COORDINATOR, type, data, n, &c->space,
                            &m, &err);
        if (rc == 0 && handlers[m.type])
            handlers[m.type](c, rank, &m);
    }
    if (err.status != OSW_OK)
        lose(c, rank, err.text);
}

/* Take what came; returns whether something did. */
static bool receive(struct coordinator *c)
{
    struct osw_transport *t = c->transport;
    unsigned char frame[OSW_FRAME_MAX];
    bool got = false;

    for (int i = 0; i < MAX_POLLS && !failed(c); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int peer = 0, rc;
        size_t n = 0;

        rc = t->ops->poll(t, &peer, frame, &n, &err);
        if (rc == 0)
            break;
        got = true;
        if (peer < 1 || peer >= t->size)
            continue;
        if (c->peers[peer].state == PEER_LOST) {
            dismiss(c, peer);
            continue;
        }
        c->peers[peer].link.heard_ns = osw_clock_ns();
        if (rc < 0)
            lose(c, peer, err.text);
        else
            read_frame(c, peer, frame, n);
        feed(c, peer);
    }
    return got;
}

/* --- what time brings --- */

static void acknowledge(struct coordinator *c)
{
    for (int r = 1; r < c->transport->size; r++) {
        struct peer *p = &c->peers[r];
        struct osw_msg ack = {.type = OSW_MSG_ACK, .u.ack = {p->n_results}};

        if (p->n_results == p->n_acked)
            continue;
        p->n_acked = p->n_results;
        post(c, r, &ack);
    }
}

static void commit(struct coordinator *c)
{
    if (!failed(c) && c->ops->commit(c->sink, c->err) == 0)
        acknowledge(c);
}

static void show(struct coordinator *c, int64_t now, bool last)
{
    const struct osw_totals *t = osw_ledger_totals(c->ledger);
    struct osw_progress_state s = {
        .elapsed_ns = now - c->start_ns,
        .fraction = osw_sched_progress(c->sched),
        .n_planned = t->n_planned,
        .n_run = c->plan->n_run,
        .n_workers = osw_sched_n_live(c->sched),
    };

    if (!c->config->progress)
        return;
    if (!last && !osw_progress_due(c->config->progress, now))
        return;
    memcpy(s.n_group, t->n_group, sizeof(s.n_group));
    osw_progress_show(c->config->progress, &s, now, last);
}

static void check_peer(struct coordinator *c, int rank, int64_t now)
{
    struct peer *p = &c->peers[rank];
    struct osw_error err = OSW_ERROR_INIT;
    int64_t silent_ns = now - p->link.heard_ns;
    int64_t limit_ns = c->config->campaign.silence_ns;
    char why[80];

    if (p->state == PEER_LOST)
        return;
    if (p->state == PEER_JOINING && p->host)
        limit_ns = c->config->start_ns; /* making its device ready */
    if (silent_ns > limit_ns && p->state != PEER_SUMMED) {
        snprintf(why, sizeof(why), "silent for %.1f s",
                 (double)silent_ns * 1e-9);
        lose(c, rank, why);
        return;
    }
    if (osw_link_beat(&p->link, 0, c->config->campaign.beat_ns, now, &err) < 0)
        lose(c, rank, err.text);
}

/* Everything that is not an answer to a message.  Called after all messages
 * were taken, so that a late coordinator does not take others for silent.
 */
static void look(struct coordinator *c, int64_t now)
{
    if (c->feed_all)
        for (int r = 1; r < c->transport->size; r++)
            feed(c, r);
    c->feed_all = false;
    if (c->ops->commit_due(c->sink, now))
        commit(c);
    for (int r = 1; r < c->transport->size; r++)
        flush(c, r, now);
    if (now - c->looked_ns < look_period_ns)
        return;
    c->looked_ns = now;
    for (int r = 1; r < c->transport->size && !failed(c); r++)
        check_peer(c, r, now);
    show(c, now, false);
}

static void turn(struct coordinator *c)
{
    bool got = receive(c);
    int64_t now = osw_clock_ns();

    look(c, now);
    if (!got)
        c->transport->ops->wait(c->transport, look_period_ns);
}

/* --- the campaign --- */

static int n_stop(const struct coordinator *c)
{
    return c->config->n_stop ? (int)*c->config->n_stop : 0;
}

/* Can anybody still do something? */
static bool hopeful(const struct coordinator *c)
{
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state == PEER_JOINING ||
            c->peers[r].state == PEER_READY)
            return true;
    return false;
}

static void post_all(struct coordinator *c, const struct osw_msg *m)
{
    for (int r = 1; r < c->transport->size; r++)
        post(c, r, m);
}

static bool all_said_all(const struct coordinator *c)
{
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state != PEER_LOST && c->peers[r].state != PEER_SUMMED)
            return false;
    return true;
}

/* Let the workers finish what they have in hand, and sum up. */
static void stop(struct coordinator *c, bool hurry)
{
    struct osw_msg m = {.type = OSW_MSG_STOP, .u.stop = {.now = hurry}};
    int64_t limit_ns =
        hurry ? c->config->drain_ns : c->config->campaign.silence_ns;
    int64_t deadline = osw_clock_ns() + limit_ns;

    c->stopping = true;
    post_all(c, &m);
    while (!failed(c) && !all_said_all(c) && n_stop(c) < 2 &&
           osw_clock_ns() < deadline)
        turn(c);
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state != PEER_SUMMED)
            c->out->lost = true;
}

/* Also when the campaign failed: the workers must not wait for ever. */
static void end(struct coordinator *c)
{
    struct osw_msg m = {.type = OSW_MSG_END, .u.end = {.lost = c->out->lost}};
    int64_t now = osw_clock_ns();

    post_all(c, &m);
    for (int r = 1; r < c->transport->size; r++)
        flush(c, r, now);
}

static void run(struct coordinator *c)
{
    if (osw_ledger_add_skipped(c->ledger, c->err) < 0)
        return;
    commit(c);
    while (!failed(c) && n_stop(c) == 0 && osw_sched_n_open(c->sched) &&
           hopeful(c))
        turn(c);
    c->out->stopped = n_stop(c) > 0;
    if (c->out->stopped)
        tell(c, OSW_EVENT_SIGNAL, -1, 0, "asked to stop");
}

static int make_sched(struct coordinator *c, struct osw_error *err)
{
    const struct osw_plan *plan = c->plan;
    struct osw_sched_config config = {
        .n_workers = (uint32_t)c->transport->size - 1,
        .max_attempts = c->config->max_attempts,
        .max_ahead = c->config->max_ahead,
        .ahead_ns = c->config->ahead_ns,
    };
    struct osw_sched_item *items = calloc(plan->n_bundles + 1, sizeof(*items));
    uint32_t n_ops = 0;

    if (!items)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu bundles",
                        plan->n_bundles);
    for (uint32_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (b->n_run == 0)
            continue;
        if (c->n_bundles &&
            b->op != plan->bundles[c->bundles[c->n_bundles - 1]].op)
            n_ops++; /* the plan is in order of ops */
        items[c->n_bundles] =
            (struct osw_sched_item){n_ops, b->n_run, b->cost_ns};
        c->bundles[c->n_bundles++] = i;
    }
    c->sched = osw_sched_create(items, c->n_bundles, &config, err);
    free(items);
    return c->sched ? 0 : -1;
}

static int set_up(struct coordinator *c, struct osw_error *err)
{
    c->bundles = calloc(c->plan->n_bundles + 1, sizeof(*c->bundles));
    c->peers = calloc((size_t)c->transport->size, sizeof(*c->peers));
    c->ledger = osw_ledger_create(c->plan, c->ops, c->sink);
    if (!c->bundles || !c->peers || !c->ledger)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    c->start_ns = c->looked_ns = osw_clock_ns();
    for (int r = 1; r < c->transport->size; r++)
        osw_link_open(&c->peers[r].link, c->transport, r, c->start_ns);
    return make_sched(c, err);
}

static void tear_down(struct coordinator *c)
{
    for (int r = 1; c->peers && r < c->transport->size; r++) {
        osw_link_close(&c->peers[r].link);
        free(c->peers[r].host);
        free(c->peers[r].device);
    }
    osw_sched_destroy(c->sched);
    osw_ledger_destroy(c->ledger);
    free(c->peers);
    free(c->bundles);
    free(c);
}

int osw_coordinator_run(const struct osw_plan *plan,
                        struct osw_transport *transport,
                        const struct osw_coordinator_config *config,
                        const struct osw_sink_ops *ops, void *sink,
                        struct osw_outcome *out, struct osw_error *err)
{
    struct osw_error own = OSW_ERROR_INIT;
    struct coordinator *c = calloc(1, sizeof(*c));

    *out =
        (struct osw_outcome){.totals.n_planned = plan->n_cells, .lost = true};
    if (!c)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    c->plan = plan;
    c->config = config;
    c->ops = ops;
    c->sink = sink;
    c->transport = transport;
    c->out = out;
    c->err = &own;
    if (set_up(c, &own) == 0) {
        out->lost = false;
        run(c);
        stop(c, failed(c) || out->stopped);
        commit(c);
        end(c);
        show(c, osw_clock_ns(), true);
        out->totals = *osw_ledger_totals(c->ledger);
        out->n_open = osw_sched_n_open(c->sched);
        out->wall_ns = osw_clock_ns() - c->start_ns;
        if (!failed(c))
            (void)!osw_ledger_check(c->ledger, out->n_open, &own);
    }
    tear_down(c);
    if (own.status == OSW_OK)
        return 0;
    return osw_fail(err, own.status, "%s", own.text);
}

void osw_coordinator_dismiss(struct osw_transport *transport)
{
    const struct osw_msg m = {.type = OSW_MSG_END, .u.end = {.lost = false}};

    for (int r = 1; r < transport->size; r++) {
        struct osw_error err = OSW_ERROR_INIT;
        int64_t now = osw_clock_ns();
        struct osw_link link;

        osw_link_open(&link, transport, r, now);
        if (osw_link_post(&link, &m, &err) == 0)
            (void)!osw_link_flush(&link, true, now, &err);
        osw_link_close(&link);
    }
}

int osw_outcome_exit_code(const struct osw_outcome *outcome, unsigned fail_on)
{
    const uint64_t *n = outcome->totals.n_group;

    if (outcome->n_open || n[OSW_GROUP_INFRA])
        return osw_status_exit_code(OSW_INCOMPLETE);
    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        if ((fail_on >> g & 1) && n[g])
            return osw_status_exit_code(OSW_FAILED);
    if (n[OSW_GROUP_PASS] + n[OSW_GROUP_FAIL] + n[OSW_GROUP_ERROR] == 0)
        return osw_status_exit_code(OSW_NOTHING);
    return 0;
}
