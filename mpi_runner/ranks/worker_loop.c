/* mpi_runner/ranks/worker_loop.c - the life of a worker rank */
#include "mpi_runner/ranks/worker_loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "mpi_runner/transport/link.h"
#include "mpi_runner/transport/neighbour.h"
#include "ops/record/state.h"
#include "results/journal/begun.h"

enum {
    MAX_POLLS = 64,            /* frames taken in a row */
    BACKLOG_BYTES = 256 << 10, /* unsent results that make it pause */
    MAX_TOGETHER = 128,        /* bundles that are judged together */
    SEAL_PATIENCE = 4,  /* while the coordinator writes its file, times that */
    FIRST_TOGETHER = 4, /* until it is known how long they take */
};

/* Until the campaign comes, which says how long silence may be: planning a
 * large campaign takes its time.
 */
static const int64_t start_limit_ns = (int64_t)600 * 1000000000;
static const int64_t start_beat_ns = 1000000000;
static const int64_t flush_after_ns = 1000000;
static const int64_t together_ns = 20000000;    /* of bundles judged together */
static const int64_t last_words_ns = 300000000; /* of a process that ended */
static const int64_t most_silence_ns = INT64_MAX / 100;
static const int64_t leave_after_ns = 1000000000; /* asked to stop, alone */

/* A message kept until its turn: its texts stay where they are. */
struct kept {
    struct kept *next;
    uint8_t type;
    uint32_t bundle, attempt; /* of a bundle */
    size_t n;
    unsigned char data[];
};

struct loop {
    const struct osw_worker_ops *ops;
    const struct osw_worker_life *life;
    struct osw_link link;
    struct osw_msg_space space;
    struct kept *campaign;     /* lives as long as the judge */
    char *journal;             /* owned; NULL: not known */
    uint32_t session;          /* of it */
    bool opened;               /* the judge, or it was tried */
    struct kept *head, **tail; /* bundles to judge */
    uint32_t n_waiting;
    void *judge;                  /* NULL: not yet, or no more */
    struct osw_msg *now;          /* [n_now] bundles being judged */
    struct osw_msg_space *spaces; /* of each; [most] as now */
    struct osw_bundle *bundles;   /* likewise, as the judge sees them */
    uint32_t n_now;
    uint32_t most;       /* bundles that the judge takes at a time */
    uint32_t n_together; /* of these, that take about together_ns */
    struct kept *taken;  /* whose texts they borrow */
    int64_t beat_ns, silence_ns, prove_ns;
    int64_t proved_ns; /* when the device was last found sound */
    uint32_t n_files;  /* that will be loaded, as the campaign said last */
    bool unproved;     /* something was judged since */
    bool doubt;        /* and the device failed at it */
    int watch_fd;      /* of the coordinator's process, on this node; or -1 */
    int64_t start_ns, flushed_ns, pumped_ns;
    int64_t asked_ns; /* when this process was first seen asked to stop; or 0 */
    struct osw_msg_summary sum;
    bool stopping, drop, left, summed_up, ended, lost;
    struct osw_error *err; /* set: the loop ends */
};

/* --- the default judge --- */

static void *judge_open(const struct osw_worker_config *config,
                        struct osw_error *err)
{
    return osw_worker_create(config, err);
}

static void judge_close(void *judge)
{
    osw_worker_destroy(judge);
}

static int judge_run(void *judge, const struct osw_bundle *bundles, uint32_t n,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    return osw_worker_run(judge, bundles, n, emit, arg, err);
}

static void judge_abandon(void *judge)
{
    osw_worker_abandon(judge);
}

static void judge_expect(void *judge, uint32_t n_files)
{
    osw_worker_expect(judge, n_files);
}

static int judge_prove(void *judge, struct osw_error *err)
{
    return osw_worker_prove(judge, err);
}

const struct osw_worker_ops osw_judge_worker = {
    .open = judge_open,
    .close = judge_close,
    .abandon = judge_abandon,
    .expect = judge_expect,
    .prove = judge_prove,
    .together = MAX_TOGETHER,
    .run = judge_run,
};

/* --- messages --- */

static bool failed(const struct loop *l)
{
    return l->err->status != OSW_OK;
}

static void post(struct loop *l, const struct osw_msg *msg)
{
    if (!failed(l) && osw_link_post(&l->link, msg, l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
}

static void flush(struct loop *l, bool all)
{
    int64_t now = osw_clock_ns();

    if (failed(l))
        return;
    if (osw_link_flush(&l->link, all, now, l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
    if (all)
        l->flushed_ns = now;
}

static struct kept *keep(struct loop *l, uint8_t type, const void *data,
                         size_t n)
{
    struct kept *k = malloc(sizeof(*k) + n);

    if (!k) {
        osw_fail(l->err, OSW_NO_MEMORY, "no memory for a message");
        return NULL;
    }
    k->next = NULL;
    k->type = type;
    k->n = n;
    memcpy(k->data, data, n);
    return k;
}

static void free_all(struct kept **list)
{
    while (*list) {
        struct kept *k = *list;

        *list = k->next;
        free(k);
    }
}

/* It is told again when it was announced before it was planned. */
static void take_campaign(struct loop *l, const struct osw_msg *m, uint8_t type,
                          const void *data, size_t n)
{
    const struct osw_msg_campaign *c = &m->u.campaign;

    if (!l->campaign) {
        l->campaign = keep(l, type, data, n);
        l->watch_fd = osw_neighbour_watch(c->host, c->pid, c->born);
    }
    if (l->judge && l->ops->expect && c->n_files != l->n_files)
        l->ops->expect(l->judge, c->n_files);
    l->n_files = c->n_files;
    l->beat_ns = c->beat_ns;
    l->prove_ns = c->prove_ns;
    l->silence_ns =
        c->silence_ns < most_silence_ns ? c->silence_ns : most_silence_ns;
    l->silence_ns *= OSW_PATIENCE;
    free(l->journal);
    l->journal = strdup(c->journal);
    l->session = c->session;
}

static void take_bundle(struct loop *l, const struct osw_msg *m, struct kept *k)
{
    if (!k)
        return;
    k->bundle = m->u.bundle.bundle;
    k->attempt = m->u.bundle.attempt;
    *l->tail = k;
    l->tail = &k->next;
    l->n_waiting++;
}

/* Give back the last n of the bundles that wait. */
static void give_back(struct loop *l, uint32_t n)
{
    struct osw_msg m = {.type = OSW_MSG_GIVEN,
                        .u.given = {.bundle = UINT32_MAX}};
    struct kept **at = &l->head, *k;

    if (n > l->n_waiting)
        n = l->n_waiting;
    for (uint32_t i = n; i < l->n_waiting; i++)
        at = &(*at)->next;
    k = *at;
    *at = NULL;
    l->tail = at;
    l->n_waiting -= n;
    if (n == 0)
        post(l, &m);
    while (n > 0) {
        struct kept *next = k->next;

        m.u.given = (struct osw_msg_given){k->bundle, k->attempt, --n};
        post(l, &m);
        free(k);
        k = next;
    }
}

static void handle(struct loop *l, const struct osw_msg *m, uint8_t type,
                   const void *data, size_t n)
{
    switch (m->type) {
    case OSW_MSG_CAMPAIGN:
        take_campaign(l, m, type, data, n);
        break;
    case OSW_MSG_BUNDLE:
        take_bundle(l, m, keep(l, type, data, n));
        break;
    case OSW_MSG_RECALL:
        give_back(l, m->u.recall.n);
        break;
    case OSW_MSG_ACK:
        l->sum.n_acked = m->u.ack.n_results;
        break;
    case OSW_MSG_STOP:
        l->stopping = true;
        l->drop = l->drop || m->u.stop.now;
        break;
    case OSW_MSG_END:
        l->ended = true;
        l->lost = m->u.end.lost;
        break;
    default: /* a beat: hearing it was all */
        break;
    }
}

/* The space belongs to the bundle in work: messages that come meanwhile are
 * decoded into another.
 */
static void read_frame(struct loop *l, const unsigned char *frame, size_t n)
{
    static _Thread_local struct osw_msg_space space;
    const void *data;
    uint8_t type;
    size_t len;
    int rc;

    if (osw_inbox_open(&l->link.in, frame, n, l->err) < 0)
        return;
    while ((rc = osw_inbox_next(&l->link.in, &type, &data, &len, l->err)) > 0) {
        struct osw_msg m;

        if (osw_msg_decode(OSW_MSG_TO_WORKER, type, data, len, &space, &m,
                           l->err) < 0)
            return;
        handle(l, &m, type, data, len);
    }
}

/* The coordinator ended, or does not speak: whatever it was, this worker is
 * there, and so are its cells.
 */
static void outlive(struct loop *l)
{
    if (l->journal)
        osw_begun_outlived(l->journal, l->session, l->link.transport->rank);
}

/* Take what came, say that we live, notice silence.  Returns whether something
 * came.
 */
static bool pump(struct loop *l)
{
    struct osw_transport *t = l->link.transport;
    unsigned char frame[OSW_FRAME_MAX];
    int64_t now;
    bool got = false;
    int peer = 0;

    for (int i = 0; i < MAX_POLLS && !failed(l) && !l->ended; i++) {
        size_t n;

        if (t->ops->poll(t, &peer, frame, &n, l->err) <= 0)
            break;
        got = true;
        read_frame(l, frame, n);
    }
    if (failed(l))
        return got;
    now = osw_clock_ns();
    osw_link_look(&l->link, now - l->pumped_ns);
    l->pumped_ns = now;
    if (got)
        l->link.heard_ns = now;
    else if (now - l->link.heard_ns > last_words_ns &&
             osw_neighbour_gone(l->watch_fd))
        osw_fail(l->err, OSW_TIMEOUT, "the coordinator's process has ended");
    else if (now - l->link.heard_ns > l->silence_ns)
        osw_fail(l->err, OSW_TIMEOUT, "the coordinator was silent for %.1f s",
                 (double)(now - l->link.heard_ns) * 1e-9);
    if (l->err->status == OSW_TIMEOUT)
        outlive(l);
    else if (osw_link_beat(&l->link, l->n_waiting, l->beat_ns, now, l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
    return got;
}

/* This process was: begin nothing more. */
static void heed_signals(struct loop *l)
{
    if (l->asked_ns || !l->life->n_stop || *l->life->n_stop == 0)
        return;
    l->asked_ns = osw_clock_ns();
    l->drop = true;
}

/* In the middle of a bundle, and nobody will hear of it: do not finish it. */
static void quit(struct loop *l)
{
    l->ops->abandon(l->judge);
    l->life->quit(l->err);
}

/* While the judge is at work. */
static void tick(void *arg)
{
    struct loop *l = arg;

    pump(l);
    flush(l, true);
    heed_signals(l);
    if ((failed(l) || (l->ended && l->lost)) && l->judge && l->life->quit)
        quit(l);
}

/* --- judging --- */

static void leave(struct loop *l, const char *why, bool unsound)
{
    struct osw_msg m = {.type = OSW_MSG_LEAVE, .u.leave = {why, unsound}};

    post(l, &m);
    l->drop = l->left = true;
    if (l->judge)
        l->ops->close(l->judge);
    l->judge = NULL;
}

static const char *or_null(const char *s)
{
    return *s ? s : NULL;
}

static bool is_off(const char *word)
{
    return word && strcmp(word, "off") == 0;
}

static void open_judge(struct loop *l, const struct osw_msg_campaign *c)
{
    const struct osw_transport *t = l->link.transport;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg ready = {.type = OSW_MSG_READY};
    struct osw_device_info *info = &ready.u.ready.device;
    struct osw_worker_config config = {
        .device = c->device,
        .rank = t->rank,
        .local_index = t->local_index,
        .n_local = t->n_local,
        .n_threads = c->n_threads,
        .seed = c->seed,
        .max_bytes = c->max_bytes,
        .profile = osw_profile_find(c->profile),
        .deadline_ns = c->deadline_ns,
        .cold = c->cold,
        .signed_zero = c->signed_zero,
        .n_files = l->n_files,
        .share_devices = c->share_gpus,
        .keep_going = c->keep_going,
        .one_by_one = is_off(getenv("OPSWEEP_BATCH")),
        .max_rss = c->max_rss,
        .cache_dir = or_null(c->cache_dir),
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = or_null(c->include_dir),
        .sandbox_path = or_null(c->sandbox_path),
        .python = or_null(c->python),
        .op_db = c->op_db,
        .tick = tick,
        .tick_arg = l,
        .stop = &l->drop,
        .info = info,
    };

    osw_device_info_init(info);
    if (!config.profile)
        osw_fail(&err, OSW_PROTOCOL, "no profile '%s'", c->profile);
    else
        l->judge = l->ops->open(&config, &err);
    ready.u.ready.fit = l->judge != NULL;
    if (l->judge || !osw_device_info_fit(info))
        post(l, &ready);
    else
        leave(l, err.text, false);
    l->drop = l->drop || !l->judge;
    l->proved_ns = osw_clock_ns();
    l->sum.start_ns = osw_clock_ns() - l->start_ns;
}

static void add_phases(struct osw_msg_summary *s, const struct osw_record *r)
{
    s->build_ns += r->build_ns;
    s->fill_ns += r->fill_ns;
    s->reference_ns += r->reference_ns;
    s->run_ns += r->run_ns;
    s->verify_ns += r->verify_ns;
    s->time_ns += r->time_ns;
    s->wait_ns += r->wait_ns;
}

/* Pause while the coordinator is behind. */
static void wait_for_room(struct loop *l)
{
    while (!failed(l) &&
           osw_outbox_waiting(&l->link.out) > (size_t)BACKLOG_BYTES) {
        struct osw_transport *t = l->link.transport;

        if (!pump(l))
            t->ops->wait(t, l->beat_ns);
        flush(l, false);
    }
}

static const struct osw_msg_bundle *bundle_of(const struct loop *l,
                                              uint64_t cell)
{
    for (uint32_t i = 0; i < l->n_now; i++) {
        const struct osw_msg_bundle *b = &l->now[i].u.bundle;

        if (cell >= b->first_cell && cell - b->first_cell < b->n)
            return b;
    }
    return NULL;
}

/* The judge numbers the cells it was given; the plan may have others before
 * them, settled earlier.
 */
static void emit(void *arg, const struct osw_record *record)
{
    struct loop *l = arg;
    const struct osw_msg_bundle *b = bundle_of(l, record->cell);
    struct osw_msg m = {.type = OSW_MSG_RESULT};
    uint64_t i;

    if (!b)
        return; /* not a cell of these bundles: missing at their end */
    i = record->cell - b->first_cell;
    m.u.result.bundle = b->bundle;
    m.u.result.k = b->k[i];
    m.u.result.record = *record;
    m.u.result.record.cell = b->first_cell + b->k[i];
    post(l, &m);
    add_phases(&l->sum, record);
    l->sum.n_results++;
    l->unproved = true;
    if (record->status_id == OSW_STATE_DEVICE)
        l->doubt = true;
    flush(l, false);
    wait_for_room(l);
}

static struct osw_bundle bundle_from(const struct osw_msg_bundle *b)
{
    return (struct osw_bundle){
        .first_cell = b->first_cell,
        .attempt = b->attempt,
        .op_dir = b->op_dir,
        .case_text = b->case_text,
        .fill = b->fill,
        .baselines = b->baselines,
        .check = (enum osw_check)b->check,
        .time = b->time,
        .flops = b->flops,
        .bytes = b->bytes,
        .cost_ns = b->cost_ns,
        .call_ns = b->call_ns,
        .digest = b->digest,
        .n_impls = b->n,
        .impls = b->impls,
        .cell_keys = b->keys,
    };
}

/* As many as take about so long, by those before them: more would neither be
 * given back when others have nothing to do, nor stop when told to.
 */
static void learn(struct loop *l, int64_t wall_ns)
{
    int64_t each = wall_ns / l->n_now + 1;
    int64_t n = together_ns / each;

    l->n_together = n < 1 ? 1 : n < l->most ? (uint32_t)n : l->most;
}

/* Is the device still sound? */
static void prove(struct loop *l)
{
    struct osw_msg m = {.type = OSW_MSG_PROVED};
    struct osw_error err = OSW_ERROR_INIT;
    int64_t start = osw_clock_ns();

    if (!l->judge || !l->ops->prove || l->prove_ns == 0 || !l->unproved)
        return;
    if (l->ops->prove(l->judge, &err) < 0) {
        leave(l, err.text, true);
        return;
    }
    l->proved_ns = osw_clock_ns();
    l->unproved = l->doubt = false;
    m.u.proved.took_ns = l->proved_ns - start;
    post(l, &m);
}

/* Those that are judged together share their time. */
static void judge_bundles(struct loop *l)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t start = osw_clock_ns(), wall;
    int rc = l->ops->run(l->judge, l->bundles, l->n_now, emit, l, &err);

    wall = osw_clock_ns() - start;
    l->sum.judge_ns += wall;
    l->sum.n_bundles += l->n_now;
    learn(l, wall);
    for (uint32_t i = 0; i < l->n_now && rc == 0; i++) {
        const struct osw_msg_bundle *b = &l->now[i].u.bundle;
        struct osw_msg done = {
            .type = OSW_MSG_DONE,
            .u.done = {b->bundle, b->attempt, wall / (int64_t)l->n_now}};

        post(l, &done);
    }
    if (rc < 0)
        leave(l, err.text, false);
    l->n_now = 0;
}

/* May they be judged together?  A case that is timed is alone. */
static bool go_together(const struct osw_msg_bundle *a,
                        const struct osw_msg_bundle *b)
{
    return !a->time && !b->time && strcmp(a->op_dir, b->op_dir) == 0;
}

/* The next bundle, and those behind it that go with it.  The cells of two must
 * not have the same numbers: where a bundle came back, its pieces may.
 */
static void next_bundles(struct loop *l)
{
    while (l->head && l->n_now < l->n_together) {
        struct kept *k = l->head;
        struct osw_msg *m = &l->now[l->n_now];
        bool known = osw_msg_decode(OSW_MSG_TO_WORKER, k->type, k->data, k->n,
                                    &l->spaces[l->n_now], m, l->err) == 0;

        if (known && l->n_now > 0 &&
            (!go_together(&l->now[0].u.bundle, &m->u.bundle) ||
             bundle_of(l, m->u.bundle.first_cell)))
            break;
        l->head = k->next;
        if (!l->head)
            l->tail = &l->head;
        l->n_waiting--;
        if (known && !l->drop && l->judge) {
            l->bundles[l->n_now] = bundle_from(&m->u.bundle);
            k->next = l->taken;
            l->taken = k;
            l->n_now++;
        } else {
            free(k);
        }
    }
    if (l->n_now > 0)
        judge_bundles(l);
    if (l->doubt || osw_clock_ns() - l->proved_ns > l->prove_ns)
        prove(l);
    free_all(&l->taken);
    if (osw_clock_ns() - l->flushed_ns > flush_after_ns)
        flush(l, true);
}

/* --- the life --- */

static void say_hello(struct loop *l)
{
    const struct osw_transport *t = l->link.transport;
    struct osw_msg m = {
        .type = OSW_MSG_HELLO,
        .u.hello = {.version = OSW_MSG_VERSION,
                    .pid = (uint64_t)getpid(),
                    .born = osw_neighbour_born((uint64_t)getpid()),
                    .local_index = t->local_index,
                    .n_local = t->n_local,
                    .host = t->host}};

    post(l, &m);
}

static void sum_up(struct loop *l)
{
    struct osw_msg m = {.type = OSW_MSG_SUMMARY};

    prove(l);
    if (l->judge)
        l->ops->close(l->judge);
    l->judge = NULL;
    l->silence_ns *= SEAL_PATIENCE;
    l->sum.wall_ns = osw_clock_ns() - l->start_ns;
    m.u.summary = l->sum;
    post(l, &m);
    l->summed_up = true;
}

static void idle(struct loop *l, int64_t since_ns)
{
    struct osw_transport *t = l->link.transport;

    flush(l, true);
    t->ops->wait(t, l->beat_ns);
    l->sum.idle_ns += osw_clock_ns() - since_ns;
}

/* It was asked to stop, and the campaign was not. */
static bool is_alone(const struct loop *l, int64_t now)
{
    return l->asked_ns && now - l->asked_ns > leave_after_ns && !l->stopping &&
           !l->left && l->campaign;
}

static void step(struct loop *l)
{
    int64_t now = osw_clock_ns();
    struct osw_msg m;

    pump(l);
    if (failed(l) || l->ended)
        return;
    heed_signals(l);
    if (l->campaign && !l->opened) {
        const struct kept *k = l->campaign;

        l->opened = true;
        flush(l, true);
        if (osw_msg_decode(OSW_MSG_TO_WORKER, k->type, k->data, k->n, &l->space,
                           &m, l->err) == 0)
            open_judge(l, &m.u.campaign);
    } else if (l->head) {
        next_bundles(l);
    } else if (l->stopping && !l->summed_up) {
        sum_up(l);
    } else if (is_alone(l, now)) {
        prove(l);
        if (!l->left)
            leave(l, "this rank alone was asked to stop", false);
    } else {
        idle(l, now);
    }
}

static void destroy(struct loop *l)
{
    free(l->now);
    free(l->spaces);
    free(l->bundles);
    free(l);
}

static struct loop *create(const struct osw_worker_ops *ops,
                           const struct osw_worker_life *life)
{
    struct loop *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->watch_fd = -1;
    l->ops = ops;
    l->life = life;
    l->most = ops->together ? ops->together : 1;
    l->n_together = l->most < FIRST_TOGETHER ? l->most : FIRST_TOGETHER;
    l->now = calloc(l->most, sizeof(*l->now));
    l->spaces = calloc(l->most, sizeof(*l->spaces));
    l->bundles = calloc(l->most, sizeof(*l->bundles));
    if (l->now && l->spaces && l->bundles)
        return l;
    destroy(l);
    return NULL;
}

int osw_worker_loop_run(struct osw_transport *transport,
                        const struct osw_worker_ops *ops,
                        const struct osw_worker_life *life, bool *lost,
                        struct osw_error *err)
{
    struct osw_error own = OSW_ERROR_INIT;
    struct loop *l = create(ops, life);

    *lost = true;
    if (!l)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a worker");
    l->err = &own;
    l->tail = &l->head;
    l->start_ns = l->flushed_ns = l->pumped_ns = osw_clock_ns();
    l->beat_ns = start_beat_ns;
    l->silence_ns = start_limit_ns;
    osw_link_open(&l->link, transport, 0, l->start_ns);
    say_hello(l);
    while (!failed(l) && !l->ended)
        step(l);
    if (l->ended)
        *lost = l->lost;
    if (l->judge)
        ops->close(l->judge);
    free_all(&l->head);
    free(l->campaign);
    free(l->journal);
    osw_link_close(&l->link);
    if (l->watch_fd >= 0)
        close(l->watch_fd);
    destroy(l);
    if (own.status == OSW_OK)
        return 0;
    return osw_fail(err, own.status, "%s", own.text);
}
