/* tests/simulate/ranks.c - workers that are not there: what they say, and when
 *
 * Each does what worker_loop.c, rank_messages.c and rank_bundles.c do, as far
 * as the coordinator sees it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/clock.h"
#include "tests/simulate/random.h"
#include "tests/simulate/sim.h"

enum { FAULTY = 1, OTHER = 2 }; /* ranks of a planted fault */
static const int64_t flush_after_ns = 1000000;
static const int64_t heartbeat_ns = 1000000000;
static const int64_t prove_period_ns = (int64_t)10 * 1000000000;
static const int64_t open_ns = 50000000; /* a device, at least */

/* A bundle, or what is left of it. */
struct sim_task {
    struct sim_task *next;
    uint64_t first_cell;
    uint32_t bundle, attempt;
    uint32_t n, at;      /* cells, of which so many are judged */
    uint64_t gang;       /* with the members of which it is judged; */
    uint32_t rank, size; /* size 0: there is none */
    uint32_t exchange;   /* the last one that this rank took part in */
    bool one_node, judging, broken;
    uint32_t k[]; /* [n] */
};

static void say(struct sim *s, int rank, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_msg_post(&s->ranks[rank].out, m, &err) == 0)
        return;
    fprintf(stderr, "simulate: rank %d cannot say '%s': %s\n", rank,
            osw_msg_name((int)m->type), err.text);
    exit(5);
}

static void say_hello(struct sim *s, int rank)
{
    char host[32];
    struct osw_msg m = {.type = OSW_MSG_HELLO};
    int n = s->base.size - 1, node = (rank - 1) / SIM_ON_NODE;

    snprintf(host, sizeof(host), "node%d", node);
    m.u.hello = (struct osw_msg_hello){.version = OSW_MSG_VERSION,
                                       .pid = 1,
                                       .local_index = (rank - 1) % SIM_ON_NODE,
                                       .n_local = SIM_ON_NODE,
                                       .host = host};
    if (n - node * SIM_ON_NODE < SIM_ON_NODE)
        m.u.hello.n_local = n - node * SIM_ON_NODE;
    say(s, rank, &m);
    sim_network_flush(s, rank, true);
}

static void say_ready(struct sim *s, int rank)
{
    struct osw_msg m = {.type = OSW_MSG_READY, .u.ready = {.fit = 1}};
    struct osw_device_info *d = &m.u.ready.device;

    osw_device_info_init(d);
    snprintf(d->kind, sizeof(d->kind), "cuda");
    snprintf(d->name, sizeof(d->name), "simulated");
    snprintf(d->uuid, sizeof(d->uuid), "GPU-%08x", (unsigned)rank);
    snprintf(d->health, sizeof(d->health), "ok");
    say(s, rank, &m);
    s->ranks[rank].ready = true;
}

/* --- judging --- */

static void begin_cell(struct sim *s, int rank)
{
    struct sim_task *t = s->ranks[rank].now;
    uint64_t cell = t->first_cell + t->k[t->at];
    int64_t ns =
        (int64_t)((double)s->work->ms[cell] * 1e6 * s->ranks[rank].times) + 1;

    if (t->rank == 0)
        sim_checks_begin(s->checks, cell, rank);
    s->judging_ns += ns;
    t->judging = true;
    sim_events_add(&s->events, sim_clock_ns() + ns, SIM_CELL_END, rank, NULL);
}

/* Before each cell of a gang, and after it, its members wait for each other. */
static void say_part(struct sim *s, int rank)
{
    struct sim_task *t = s->ranks[rank].now;
    struct sim_part mine = {(uint32_t)rank, t->k[t->at]};
    struct osw_msg m = {
        .type = OSW_MSG_PART,
        .u.part = {t->gang, ++t->exchange, sizeof(mine), &mine}};

    if (s->o->fault == SIM_FAULT_WRONG_PART && t->rank == 1 &&
        s->n_faulty++ == 0)
        mine.cell++;
    s->n_parts++;
    say(s, rank, &m);
    sim_network_flush(s, rank, true);
}

static void begin_task(struct sim *s, int rank)
{
    if (s->ranks[rank].now->size)
        say_part(s, rank);
    else
        begin_cell(s, rank);
}

static void sum_up(struct sim *s, int rank)
{
    struct osw_msg last = {.type = OSW_MSG_SUMMARY};

    s->ranks[rank].summed = true;
    say(s, rank, &last);
}

/* The next bundle, or nothing to do. */
static void go_on(struct sim *s, int rank)
{
    struct sim_rank *r = &s->ranks[rank];

    if (r->now)
        return;
    r->now = r->head;
    if (r->now) {
        r->head = r->now->next;
        if (!r->head)
            r->tail = &r->head;
        r->n_waiting--;
        begin_task(s, rank);
    } else if (r->stopping && !r->summed) {
        sum_up(s, rank);
    }
    if (!r->now)
        sim_network_flush(s, rank, true);
}

static void say_result(struct sim *s, int rank)
{
    const struct sim_task *t = s->ranks[rank].now;
    struct osw_msg m = {.type = OSW_MSG_RESULT};
    struct osw_record *r = &m.u.result.record;
    bool faulty = rank == FAULTY && s->n_faulty++ == 1;

    osw_record_init(r);
    m.u.result.bundle = t->bundle;
    m.u.result.k = t->k[t->at];
    r->status_id = OSW_STATE_PASS;
    r->rank = rank;
    r->attempt = t->attempt;
    r->cell = t->first_cell + t->k[t->at];
    r->wall_ns = (int64_t)((double)s->work->ms[r->cell] * 1e6);
    s->checks->n_sent++;
    if (!faulty || s->o->fault != SIM_FAULT_LOSE_RESULT)
        say(s, rank, &m);
    if (faulty && s->o->fault == SIM_FAULT_TWICE_RESULT)
        say(s, rank, &m);
}

static void say_done(struct sim *s, int rank)
{
    struct sim_rank *r = &s->ranks[rank];
    struct osw_msg done = {.type = OSW_MSG_DONE,
                           .u.done = {r->now->bundle, r->now->attempt, 0}};
    struct osw_msg proved = {.type = OSW_MSG_PROVED,
                             .u.proved = {.took_ns = 1000000}};

    say(s, rank, &done);
    free(r->now);
    r->now = NULL;
    if (sim_clock_ns() - r->proved_ns <= prove_period_ns)
        return;
    r->proved_ns = sim_clock_ns();
    say(s, rank, &proved);
}

/* All that is to be done for a cell is done. */
static void leave_cell(struct sim *s, int rank)
{
    struct sim_rank *r = &s->ranks[rank];

    if (r->now->rank == 0 && !r->now->broken)
        say_result(s, rank);
    if (++r->now->at < r->now->n && !r->now->broken)
        begin_task(s, rank);
    else
        say_done(s, rank);
    sim_network_flush(s, rank, sim_clock_ns() - r->flushed_ns > flush_after_ns);
    go_on(s, rank);
}

static void end_cell(struct sim *s, int rank)
{
    struct sim_task *t = s->ranks[rank].now;

    t->judging = false;
    if (t->size && !t->broken)
        say_part(s, rank);
    else
        leave_cell(s, rank);
}

/* --- messages --- */

static struct sim_task *task_of(const struct sim_rank *r, uint64_t gang)
{
    return r->now && r->now->size && r->now->gang == gang ? r->now : NULL;
}

static void take_parts(struct sim *s, int rank, const struct osw_msg_parts *m)
{
    struct sim_task *t = task_of(&s->ranks[rank], m->gang);
    struct sim_part parts[OSW_GANG_MAX];

    if (!t || t->broken)
        return;
    if (m->n != t->size * sizeof(parts[0]) || m->exchange != t->exchange ||
        t->judging) {
        sim_checks_broken(s->checks,
                          "rank %d gets %" PRIu32 " bytes of exchange %" PRIu32
                          ", expected %zu of %" PRIu32,
                          rank, m->n, m->exchange, t->size * sizeof(parts[0]),
                          t->exchange);
        return;
    }
    memcpy(parts, m->bytes, m->n);
    sim_checks_gang(s->checks, parts, t->size, t->one_node);
    if (t->exchange % 2)
        begin_cell(s, rank);
    else
        leave_cell(s, rank);
}

/* A judge hears of it when it waits for the others. */
static void take_broken(struct sim *s, int rank, const struct osw_msg_broken *m)
{
    struct sim_task *t = task_of(&s->ranks[rank], m->gang);

    if (!t)
        return;
    t->broken = true;
    if (!t->judging)
        leave_cell(s, rank);
}

static void take_bundle(struct sim *s, int rank, const struct osw_msg_bundle *b)
{
    struct sim_rank *r = &s->ranks[rank];
    struct sim_task *t = sim_resize(NULL, sizeof(*t) + b->n * sizeof(t->k[0]));

    *t = (struct sim_task){.first_cell = b->first_cell,
                           .bundle = b->bundle,
                           .attempt = b->attempt,
                           .n = b->n,
                           .gang = b->gang,
                           .rank = b->rank,
                           .size = b->size,
                           .one_node = osw_msg_on_one_node(b)};
    memcpy(t->k, b->k, b->n * sizeof(t->k[0]));
    *r->tail = t;
    r->tail = &t->next;
    r->n_waiting++;
    go_on(s, rank);
}

/* The last n of the bundles that wait. */
static void give_back(struct sim *s, int rank, uint32_t n)
{
    struct sim_rank *r = &s->ranks[rank];
    struct osw_msg m = {.type = OSW_MSG_GIVEN,
                        .u.given = {.bundle = UINT32_MAX}};
    struct sim_task **at = &r->head, *t;

    if (n > r->n_waiting)
        n = r->n_waiting;
    for (uint32_t i = n; i < r->n_waiting; i++)
        at = &(*at)->next;
    t = *at;
    *at = NULL;
    r->tail = at;
    r->n_waiting -= n;
    if (n == 0)
        say(s, rank, &m);
    while (n > 0) {
        struct sim_task *next = t->next;

        m.u.given = (struct osw_msg_given){t->bundle, t->attempt, --n};
        say(s, rank, &m);
        free(t);
        t = next;
    }
    sim_network_flush(s, rank, true);
}

static void take_ack(struct sim *s, int rank, uint64_t n)
{
    struct sim_rank *r = &s->ranks[rank];

    if (s->o->fault == SIM_FAULT_LOSE_ACK && rank == FAULTY)
        return;
    if (n < r->n_acked || n > s->checks->of_rank[rank])
        sim_checks_broken(s->checks,
                          "rank %d is told that %" PRIu64 " results are on "
                          "disk, after %" PRIu64 ", but %" PRIu64 " are",
                          rank, n, r->n_acked, s->checks->of_rank[rank]);
    r->n_acked = n;
}

static void hear(struct sim *s, int rank, const struct osw_msg *m)
{
    struct sim_rank *r = &s->ranks[rank];

    switch (m->type) {
    case OSW_MSG_CAMPAIGN:
        say_ready(s, rank);
        r->out_ns = sim_clock_ns() + open_ns;
        sim_network_flush(s, rank, true);
        break;
    case OSW_MSG_ACK:
        take_ack(s, rank, m->u.ack.n_results);
        break;
    case OSW_MSG_BUNDLE:
        take_bundle(s, rank, &m->u.bundle);
        if (s->o->fault == SIM_FAULT_TWICE_BUNDLE && rank == FAULTY &&
            s->n_faulty++ == 0)
            take_bundle(s, OTHER, &m->u.bundle);
        if (s->o->fault == SIM_FAULT_TWICE_TWIN &&
            s->checks->twin_rank == rank) {
            s->checks->twin_rank = -1;
            take_bundle(s, rank == OTHER ? FAULTY : OTHER, &m->u.bundle);
        }
        break;
    case OSW_MSG_PARTS:
        take_parts(s, rank, &m->u.parts);
        break;
    case OSW_MSG_BROKEN:
        take_broken(s, rank, &m->u.broken);
        break;
    case OSW_MSG_RECALL:
        give_back(s, rank, m->u.recall.n);
        break;
    case OSW_MSG_STOP:
        r->stopping = true;
        go_on(s, rank);
        break;
    case OSW_MSG_END:
        r->ended = true;
        break;
    default: /* a heartbeat: its arrival is all it says */
        break;
    }
}

static void read_frame(struct sim *s, int rank, const struct sim_frame *f)
{
    struct sim_rank *r = &s->ranks[rank];
    struct osw_error err = OSW_ERROR_INIT;
    const void *data;
    uint8_t type;
    size_t n;
    int rc = osw_inbox_open(&r->in, f->data, f->n, &err);

    r->n_flying--;
    r->heard_ns = sim_clock_ns();
    while (rc == 0 && osw_inbox_next(&r->in, &type, &data, &n, &err) == 1) {
        struct osw_msg m;

        rc = osw_msg_decode(OSW_MSG_TO_WORKER, type, data, n, &s->space, &m,
                            &err);
        if (rc == 0)
            hear(s, rank, &m);
    }
    if (err.status != OSW_OK)
        sim_checks_broken(s->checks, "rank %d cannot read a message: %s", rank,
                          err.text);
}

/* --- time --- */

static void tick(struct sim *s, int rank)
{
    struct sim_rank *r = &s->ranks[rank];
    struct osw_msg m = {.type = OSW_MSG_HEARTBEAT,
                        .u.heartbeat = {.n_waiting = r->n_waiting}};
    int64_t now = sim_clock_ns(), silence_ns = now - r->heard_ns;

    if (!r->forgotten && silence_ns > s->silence_ns)
        s->silence_ns = silence_ns;
    if (now - r->sent_ns >= heartbeat_ns) {
        say(s, rank, &m);
        sim_network_flush(s, rank, true);
    }
    sim_events_add(&s->events, r->sent_ns + heartbeat_ns, SIM_TICK, rank, NULL);
}

static void stop_for_a_while(struct sim *s, int rank)
{
    struct sim_rank *r = &s->ranks[rank];
    int64_t ns = (int64_t)(s->o->pause_s * 1e9);

    s->n_paused++;
    r->paused_until_ns = sim_clock_ns() + ns;
    r->heard_ns += ns; /* it was away: no silence of the coordinator's */
}

void sim_ranks_event(struct sim *s, const struct sim_event *e)
{
    struct sim_rank *r = &s->ranks[e->rank];

    if (!r->dead && !r->ended) {
        if (e->kind == SIM_TO_RANK)
            read_frame(s, e->rank, e->frame);
        else if (e->kind == SIM_CELL_END)
            end_cell(s, e->rank);
        else if (e->kind == SIM_TICK)
            tick(s, e->rank);
        else if (e->kind == SIM_PAUSE)
            stop_for_a_while(s, e->rank);
        else if (e->kind == SIM_DEATH)
            r->dead = true, s->n_dead++;
    }
    free(e->frame);
}

/* At a random time, of so many percent an hour. */
static void plan_event(struct sim *s, double percent, enum sim_stream stream,
                       int number, enum sim_event_kind kind, int rank)
{
    double hours;

    if (percent <= 0)
        return;
    hours =
        100 / percent * sim_exponential(s->o->seed, stream, (uint64_t)number);
    if (hours < 10000)
        sim_events_add(&s->events, sim_clock_ns() + (int64_t)(hours * 3600e9),
                       kind, rank, NULL);
}

static bool is_slow(const struct sim *s, int rank)
{
    return sim_uniform(s->o->seed, SIM_STREAM_SLOW, (uint64_t)rank) * 100 <
           s->o->slow;
}

void sim_ranks_start(struct sim *s)
{
    int64_t now = sim_clock_ns();

    for (int rank = 1; rank < s->base.size; rank++) {
        struct sim_rank *r = &s->ranks[rank];

        r->tail = &r->head;
        r->heard_ns = r->proved_ns = now;
        r->times = is_slow(s, rank) ? s->o->slow_times : 1;
        s->n_slow += r->times > 1;
        say_hello(s, rank);
        sim_events_add(&s->events, now + heartbeat_ns, SIM_TICK, rank, NULL);
        plan_event(s, s->o->lost, SIM_STREAM_RANK, rank, SIM_DEATH, rank);
        plan_event(s, s->o->lost_nodes, SIM_STREAM_NODE,
                   (rank - 1) / SIM_ON_NODE, SIM_DEATH, rank);
        plan_event(s, s->o->paused, SIM_STREAM_PAUSE, rank, SIM_PAUSE, rank);
    }
}

static void free_tasks(struct sim_task *t)
{
    while (t) {
        struct sim_task *next = t->next;

        free(t);
        t = next;
    }
}

void sim_ranks_free(struct sim *s)
{
    for (int rank = 1; rank < s->base.size; rank++) {
        struct sim_rank *r = &s->ranks[rank];

        osw_outbox_free(&r->out);
        osw_inbox_free(&r->in);
        free_tasks(r->head);
        free(r->now);
    }
}
