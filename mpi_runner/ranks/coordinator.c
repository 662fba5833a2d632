/* mpi_runner/ranks/coordinator.c - rank 0: hands out bundles, takes in records
 */
#include "mpi_runner/ranks/coordinator.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/deadline.h"
#include "common/log.h"
#include "mpi_runner/ranks/peers.h"
#include "mpi_runner/ranks/peers_receive.h"
#include "mpi_runner/transport/neighbour.h"
#include "results/journal/at_work.h"

static const int64_t look_period_ns =
    20000000;                                 /* heartbeats, silence, signals */
static const int64_t look_all_ns = 200000000; /* ... at all of many ranks */
static const int64_t gap_ns = 300000000; /* between two turns: it was away */
static const int64_t last_words_ns = 200000000; /* of a process that ended */
static const int64_t go_ns = 2000000000; /* to end itself, once told to */

enum { CHECK_LEAST = 2048 }; /* ranks that are looked at in one period */

/* A rank that others wait for: it may be silent for a part of the usual time,
 * if that is so many heartbeats.
 */
enum { AWAITED_PART = 3, AWAITED_HEARTBEATS = 5 };

const struct osw_coordinator_config osw_coordinator_defaults = {
    .max_attempts = 3,
    .max_pardons = OSW_BEGUN_PARDONS,
    .max_ahead = 512,
    .ahead_ns = 20000000,
    .late_times = 3,
    .late_ns = (int64_t)5 * 1000000000,
    .overtaken_ns = (int64_t)2 * 1000000000,
    .start_ns = (int64_t)300 * 1000000000,
    .hold_ns = (int64_t)10 * 1000000000,
    .drain_ns = (int64_t)20 * 1000000000,
};

/* --- what time brings --- */

static void commit(struct osw_peers *c)
{
    if (!osw_peers_failed(c) && c->ops->commit(c->sink, c->err) == 0)
        osw_peers_acknowledge(c);
}

static void show(struct osw_peers *c, int64_t now, bool last)
{
    const struct osw_totals *t = osw_ledger_totals(c->ledger);
    struct osw_peers_case at = {"", "", 0, 0};
    struct osw_progress_state s = {
        .elapsed_ns = now - c->start_ns,
        .fraction = osw_sched_progress(c->sched),
        .n_planned = t->n_planned,
        .n_before = c->n_before,
        .fraction_before = c->fraction_before,
        .n_workers = osw_sched_n_live(c->sched),
    };

    if (!c->config->progress)
        return;
    if (!last && !osw_progress_due(c->config->progress, now))
        return;
    s.n_running = osw_peers_running(c, &at);
    s.op = at.op;
    s.impl = at.impl;
    s.n_open = at.n_open;
    s.longest_ns = s.n_running ? now - at.since_ns : 0;
    memcpy(s.n_group, t->n_group, sizeof(s.n_group));
    osw_progress_show(c->config->progress, &s, now, last);
}

/* The same for programs. */
static void export_metrics(struct osw_peers *c, int64_t now, bool last)
{
    struct osw_metrics_state s = {
        .totals = osw_ledger_totals(c->ledger),
        .running = !last,
        .n_workers = osw_sched_n_live(c->sched),
        .n_lost = c->out->n_lost,
        .n_left_out = c->out->n_unfit + c->out->n_unsound,
        .n_judged = c->out->n_judged,
        .fraction = osw_sched_progress(c->sched),
        .fraction_before = c->fraction_before,
        .elapsed_ns = now - c->start_ns,
    };

    if (!c->config->metrics)
        return;
    if (!last && !osw_metrics_due(c->config->metrics, now))
        return;
    s.now_unix_ns = osw_clock_unix_ns();
    osw_metrics_write(c->config->metrics, &s, now);
}

/* What it said before has come by then. */
static bool has_gone(struct osw_peer *p, int64_t now)
{
    if (!p->gone_ns && osw_neighbour_gone(p->watch_fd))
        p->gone_ns = now;
    return p->gone_ns && p->state != OSW_PEER_SUMMED &&
           now - p->gone_ns > last_words_ns;
}

/* Can its end be seen only in its file?  The others of a gang wait for a
 * member, perhaps until the deadline of a call.  Other ranks are looked at once
 * they missed some heartbeats.
 */
static bool may_have_ended(const struct osw_peers *c, const struct osw_peer *p,
                           int64_t now)
{
    int64_t least_ns = AWAITED_HEARTBEATS * c->config->campaign.heartbeat_ns;

    if (p->watch_fd >= 0 || p->gone_ns)
        return false;
    return p->gang ||
           (p->state == OSW_PEER_READY && now - p->link.heard_ns > least_ns);
}

/* Of ranks on other nodes: a process beside each writes that it has ended.  One
 * file each time, since file systems of a cluster may be slow.
 */
static void look_for_end(struct osw_peers *c, int64_t now)
{
    const struct osw_msg_campaign *m = &c->config->campaign;
    int n = c->transport->size - 1;

    for (int i = 0; i < n && i < CHECK_LEAST; i++) {
        int rank = 1 + c->next_end;
        struct osw_peer *p = &c->peers[rank];

        c->next_end = (c->next_end + 1) % n;
        if (!may_have_ended(c, p, now))
            continue;
        if (osw_at_work_has_ended(m->journal, m->session, rank))
            p->gone_ns = now;
        return;
    }
}

/* Do others have nothing to do until its cells are judged?  Once a bundle. */
static bool is_awaited(const struct osw_peers *c, int rank)
{
    return c->peers[rank].gang
               ? osw_peers_gang_is_new(c, rank)
               : osw_sched_is_awaited(c->sched, osw_peers_worker_of(rank));
}

/* How long may it be silent?  Others do not wait for it as long. */
static int64_t silence_limit(const struct osw_peers *c, int rank)
{
    const struct osw_msg_campaign *m = &c->config->campaign;
    const struct osw_peer *p = &c->peers[rank];
    int64_t least_ns = AWAITED_HEARTBEATS * m->heartbeat_ns;

    if (p->state == OSW_PEER_JOINING && p->host)
        return c->config->start_ns; /* making its device ready */
    if (p->state != OSW_PEER_READY || m->silence_ns / AWAITED_PART < least_ns ||
        !is_awaited(c, rank))
        return m->silence_ns;
    return m->silence_ns / AWAITED_PART;
}

/* When a node is down, its ranks fall silent together: those that have been for
 * nearly as long are lost, too, before what the first one had goes to them.
 */
static void lose_silent(struct osw_peers *c, int rank, int64_t now)
{
    int64_t least_ns = (now - c->peers[rank].link.heard_ns) / 4 * 3;
    int r = rank;

    do {
        const struct osw_peer *p = &c->peers[r];
        int64_t silent_ns = now - p->link.heard_ns;

        if (r == rank || (p->state == OSW_PEER_READY && silent_ns > least_ns))
            osw_peers_lose_silent(c, r, silent_ns);
        r = p->next_on_node;
    } while (r != rank && r > 0);
}

/* Workers wait OSW_PATIENCE times as long for a word as rank 0 does, so it
 * needs to say something that much less often.
 */
static void check_peer(struct osw_peers *c, int rank, int64_t now)
{
    struct osw_peer *p = &c->peers[rank];
    struct osw_error err = OSW_ERROR_INIT;
    int64_t silent_ns = now - p->link.heard_ns;

    if (p->state == OSW_PEER_LOST)
        return;
    if (has_gone(p, now)) {
        osw_peers_lose(c, rank, "its process has ended");
        return;
    }
    if (silent_ns > silence_limit(c, rank) && p->state != OSW_PEER_SUMMED) {
        lose_silent(c, rank, now);
        return;
    }
    if (osw_link_heartbeat(&p->link, 0,
                           OSW_PATIENCE * c->config->campaign.heartbeat_ns, now,
                           &err) < 0)
        osw_peers_lose(c, rank, err.text);
    else if (osw_outbox_waiting(&p->link.out))
        osw_peers_note_mail(c, rank);
}

/* All of them, but of many thousands a part each time: look_all_ns for all. */
static void check_some(struct osw_peers *c, int64_t now)
{
    int n = c->transport->size - 1;
    int64_t part = n * look_period_ns / look_all_ns;

    if (part < CHECK_LEAST)
        part = n < CHECK_LEAST ? n : CHECK_LEAST;
    for (int64_t i = 0; i < part && !osw_peers_failed(c); i++) {
        check_peer(c, 1 + c->next_look, now);
        c->next_look = (c->next_look + 1) % n;
    }
}

/* What depends on time.  Called after all messages were taken: a coordinator
 * that was stopped must not take other ranks for silent.
 */
static void look(struct osw_peers *c, int64_t now)
{
    for (int r = 1;
         c->feed_all && r < c->transport->size &&
         (osw_sched_has_queued(c->sched) || osw_sched_has_gang(c->sched));
         r++)
        osw_peers_feed(c, r);
    c->feed_all = false;
    if (c->urgent || c->ops->commit_due(c->sink, now))
        commit(c);
    else if (c->begun && !osw_peers_failed(c))
        (void)!c->ops->push(c->sink, c->err);
    c->urgent = c->begun = false;
    if (osw_peers_failed(c))
        return; /* a bundle is sent only after its BEGIN records are written */
    c->sending = osw_peers_send_objects(c);
    osw_peers_flush(c, now);
    if (now - c->looked_ns < look_period_ns)
        return;
    if (osw_link_was_away(now - c->looked_ns))
        for (int r = 1; r < c->transport->size; r++) {
            osw_link_look(&c->peers[r].link, now - c->looked_ns);
            c->peers[r].began_ns += now - c->looked_ns;
        }
    c->looked_ns = now;
    c->feed_all = c->holding;
    c->holding = false;
    osw_peers_skip_unmet(c);
    osw_peers_balance(c);
    look_for_end(c, now);
    check_some(c, now);
    osw_peers_help(c, now); /* its BEGINs are not written: no heartbeat is sent
                               after it */
    show(c, now, false);
    export_metrics(c, now, false);
}

static void turn(struct osw_peers *c)
{
    bool got = osw_peers_receive(c);
    int64_t now = osw_clock_ns();

    look(c, now);
    if (!got && !c->sending)
        c->transport->ops->wait(c->transport, look_period_ns);
}

/* --- the campaign --- */

static int n_stop(const struct osw_peers *c)
{
    return c->config->n_stop ? (int)*c->config->n_stop : 0;
}

/* Is there a worker that can still judge, or may come? */
static bool can_continue(const struct osw_peers *c)
{
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state == OSW_PEER_JOINING ||
            c->peers[r].state == OSW_PEER_READY || osw_peers_may_return(c, r))
            return true;
    return false;
}

static void post_all(struct osw_peers *c, const struct osw_msg *m)
{
    for (int r = 1; r < c->transport->size; r++)
        osw_peers_post(c, r, m);
}

static bool is_overtaken(const struct osw_peers *c, int rank)
{
    return osw_sched_is_overtaken(c->sched, osw_peers_worker_of(rank));
}

/* Or are those that have not at work for nothing, and had their time? */
static bool all_said_all(const struct osw_peers *c, bool patient)
{
    for (int r = 1; r < c->transport->size; r++)
        if (c->peers[r].state != OSW_PEER_LOST &&
            c->peers[r].state != OSW_PEER_SUMMED &&
            (patient || !is_overtaken(c, r)))
            return false;
    return true;
}

/* Unsent bundles may have no BEGIN records on disk: never send them. */
static void drop_unsent(struct osw_peers *c)
{
    for (int r = 1; r < c->transport->size; r++)
        osw_outbox_drop(&c->peers[r].link.out);
}

/* Let the workers finish what they have in hand, and sum up. */
static void stop(struct osw_peers *c, bool hurry)
{
    struct osw_msg m = {.type = OSW_MSG_STOP, .u.stop = {.now = hurry}};
    int64_t limit_ns =
        hurry ? c->config->drain_ns : c->config->campaign.silence_ns;
    struct osw_deadline deadline = osw_deadline_in(limit_ns, osw_clock_ns()),
                        patience = osw_deadline_in(c->config->overtaken_ns,
                                                   osw_clock_ns());

    c->stopping = true;
    if (osw_peers_failed(c))
        drop_unsent(c);
    post_all(c, &m);
    while (!osw_peers_failed(c) && n_stop(c) < 2 &&
           !all_said_all(
               c, osw_deadline_left(&patience, osw_clock_ns(), gap_ns) > 0) &&
           osw_deadline_left(&deadline, osw_clock_ns(), gap_ns) > 0)
        turn(c);
    for (int r = 1; r < c->transport->size; r++) {
        if (c->peers[r].state == OSW_PEER_SUMMED)
            continue;
        c->out->lost = true;
        if (c->peers[r].state != OSW_PEER_LOST)
            osw_log(OSW_LOG_WARNING, "rank %d is not waited for%s", r,
                    is_overtaken(c, r) ? ": another rank was faster" : "");
        if (c->peers[r].state == OSW_PEER_LOST || !hurry)
            osw_peers_mark_unproven(c, r);
    }
}

/* Does the process still run on this node, though nothing waits for it? */
static bool stays(const struct osw_peer *p)
{
    return p->state != OSW_PEER_SUMMED && p->watch_fd >= 0 &&
           !osw_neighbour_gone(p->watch_fd);
}

static bool any_stays(const struct osw_peers *c)
{
    for (int r = 1; r < c->transport->size; r++)
        if (stays(&c->peers[r]))
            return true;
    return false;
}

/* If a worker is lost, the others exit at once, without MPI_Finalize.  A worker
 * that cannot exit, because it is stopped or hangs in a driver, would block the
 * launcher for ever.
 */
static void end(struct osw_peers *c)
{
    struct osw_msg m = {
        .type = OSW_MSG_END,
        .u.end = {.lost = true, .unrecorded = osw_peers_failed(c)}};
    int64_t now = osw_clock_ns();

    post_all(c, &m);
    osw_peers_flush(c, now);
    while (any_stays(c) && osw_clock_ns() - now < go_ns)
        osw_clock_sleep_ns(look_period_ns);
    for (int r = 1; r < c->transport->size; r++)
        if (stays(&c->peers[r]))
            osw_neighbour_kill(c->peers[r].watch_fd);
}

/* It killed sessions, and that is certain: never run it again. */
static int give_up(struct osw_peers *c, uint32_t b, uint32_t k)
{
    osw_sched_settle(c->sched, b, k);
    return osw_ledger_add_unjudged(
        c->ledger, c->bundles[b], k, OSW_STATE_LOST, 3,
        "sessions died each time it was in work, its worker too; at least one "
        "of them with nothing else under suspicion",
        c->err);
}

static int restore_bundle(struct osw_peers *c, uint32_t b)
{
    const struct osw_plan_bundle *p = &c->plan->bundles[c->bundles[b]];
    const struct osw_past *past = c->config->past;
    enum osw_suspicion most = OSW_SUSPICION_NONE;

    for (uint32_t k = 0; k < p->n_run; k++) {
        uint64_t cell = p->first_cell + k;
        enum osw_suspicion found = (enum osw_suspicion)past->suspicions[cell];

        if (past->states[cell] != OSW_STATE_NONE)
            osw_sched_settle(c->sched, b, k);
        else if (found == OSW_SUSPICION_PROVED) {
            if (give_up(c, b, k) < 0)
                return -1;
        } else if (found > most) {
            most = found;
        }
    }
    if (most != OSW_SUSPICION_NONE)
        osw_sched_suspect(c->sched, b, most == OSW_SUSPICION_ALONE);
    return 0;
}

/* Cells with a result from an earlier session are not judged again. */
static int restore(struct osw_peers *c)
{
    const struct osw_past *past = c->config->past;

    if (!past)
        return 0;
    for (uint64_t cell = 0; cell < osw_plan_n_numbers(c->plan); cell++)
        if (past->states[cell] != OSW_STATE_NONE)
            osw_ledger_restore(c->ledger, cell,
                               (enum osw_state)past->states[cell]);
    for (uint32_t b = 0; b < c->n_bundles; b++)
        if (restore_bundle(c, b) < 0)
            return -1;
    return 0;
}

static void run(struct osw_peers *c)
{
    if (restore(c) < 0 || osw_ledger_add_skipped(c->ledger, c->err) < 0)
        return;
    c->n_before = osw_ledger_totals(c->ledger)->n_recorded;
    c->fraction_before = osw_sched_progress(c->sched);
    commit(c);
    while (!osw_peers_failed(c) && n_stop(c) == 0 &&
           osw_sched_n_open(c->sched) && can_continue(c))
        turn(c);
    c->out->stopped = n_stop(c) > 0;
    if (!c->out->stopped)
        return;
    osw_log(OSW_LOG_WARNING,
            "asked to stop: running cells have %.0f s to end; a second request "
            "stops them at once",
            (double)c->config->drain_ns * 1e-9);
    osw_peers_tell(c, OSW_EVENT_SIGNAL, -1, 0, "asked to stop");
    commit(c); /* a launcher may leave us no time for more */
}

static int make_sched(struct osw_peers *c, struct osw_error *err)
{
    const struct osw_plan *plan = c->plan;
    struct osw_sched_config config = {
        .n_workers = (uint32_t)c->transport->size - 1,
        .max_attempts = c->config->max_attempts,
        .max_pardons = c->config->max_pardons,
        .max_ahead = c->config->max_ahead,
        .ahead_ns = c->config->ahead_ns,
        .late_times = c->config->late_times,
        .late_ns = c->config->late_ns,
        .across_nodes = true,
    };
    struct osw_sched_item *items = calloc(plan->n_bundles + 1, sizeof(*items));
    uint32_t n_ops = 0;

    if (!items)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu bundles",
                        plan->n_bundles);
    for (uint32_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        bool first = c->n_bundles == 0 ||
                     b->op != plan->bundles[c->bundles[c->n_bundles - 1]].op;

        if (b->n_run == 0)
            continue;
        if (c->n_bundles && first)
            n_ops++; /* the plan is in order of ops */
        items[c->n_bundles] =
            (struct osw_sched_item){n_ops, b->n_run, osw_plan_expect_ns(b),
                                    osw_plan_world(b), fmax(b->bytes, 0)};
        if (c->config->cost_history)
            c->histories[c->n_bundles] =
                first ? osw_cost_history_op(c->config->cost_history, b->op_name)
                      : c->histories[c->n_bundles - 1];
        c->bundles[c->n_bundles++] = i;
    }
    osw_plan_choose_warm_ups(plan, c->bundles, c->n_bundles, c->warm_ups);
    c->sched = osw_sched_create(items, c->n_bundles, &config, err);
    free(items);
    return c->sched ? 0 : -1;
}

static int set_up(struct osw_peers *c, struct osw_error *err)
{
    c->bundles = calloc(c->plan->n_bundles + 1, sizeof(*c->bundles));
    c->warm_ups = calloc(c->plan->n_bundles + 1, sizeof(*c->warm_ups));
    c->histories =
        calloc(c->plan->n_bundles + 1, sizeof(struct osw_cost_history_op *));
    c->ledger = osw_ledger_create(c->plan, c->ops, c->sink);
    if (!c->bundles || !c->warm_ups || !c->histories || !c->ledger)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    c->start_ns = c->looked_ns = osw_clock_ns();
    c->gang_salt = (uint64_t)osw_clock_unix_ns();
    return osw_peers_set_up(c, err) < 0 ? -1 : make_sched(c, err);
}

static void tear_down(struct osw_peers *c)
{
    osw_peers_tear_down(c);
    osw_sched_destroy(c->sched);
    osw_ledger_destroy(c->ledger);
    free(c->bundles);
    free(c->warm_ups);
    free(c->histories);
    free(c);
}

int osw_coordinator_run(const struct osw_plan *plan,
                        struct osw_transport *transport,
                        const struct osw_coordinator_config *config,
                        const struct osw_sink_ops *ops, void *sink,
                        struct osw_outcome *out, struct osw_error *err)
{
    struct osw_error own = OSW_ERROR_INIT;
    struct osw_peers *c = calloc(1, sizeof(*c));

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
        stop(c, osw_peers_failed(c) || out->stopped);
        commit(c);
        osw_peers_flush(c, osw_clock_ns()); /* the last acknowledgements */
        if (out->lost)
            end(c);
        show(c, osw_clock_ns(), true);
        export_metrics(c, osw_clock_ns(), true);
        out->totals = *osw_ledger_totals(c->ledger);
        out->n_open = osw_sched_n_open(c->sched);
        out->wall_ns = osw_clock_ns() - c->start_ns;
        if (!osw_peers_failed(c))
            (void)!osw_ledger_check(c->ledger, out->n_open, &own);
    }
    tear_down(c);
    if (own.status == OSW_OK)
        return 0;
    return osw_fail(err, own.status, "%s", own.text);
}

int osw_outcome_exit_code(const struct osw_outcome *outcome, uint32_t fail_on)
{
    const uint64_t *n = outcome->totals.n_group;

    if (outcome->n_open || n[OSW_GROUP_INFRA])
        return osw_status_exit_code(OSW_INCOMPLETE);
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        if ((fail_on >> osw_state_at(i) & 1) &&
            outcome->totals.n_state[osw_state_at(i)])
            return osw_status_exit_code(OSW_FAILED);
    if (n[OSW_GROUP_PASS] + n[OSW_GROUP_FAIL] + n[OSW_GROUP_ERROR] == 0)
        return osw_status_exit_code(OSW_NOTHING);
    return 0;
}
