/* mpi_runner/ranks/rank_bundles.c - bundles of a worker rank, judged */
#include "mpi_runner/ranks/rank_bundles.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "mpi_runner/ranks/rank_gang.h"
#include "mpi_runner/ranks/rank_messages.h"
#include "mpi_runner/ranks/rank_objects.h"
#include "ops/record/state.h"
#include "results/journal/at_work.h"

enum {
    BACKLOG_BYTES = 256 << 10, /* unsent results that make it pause */
};

static const int64_t flush_after_ns = 1000000;
static const int64_t together_ns = 20000000; /* of bundles judged together */

void osw_rank_leave(struct osw_rank *l, const char *why, bool unsound)
{
    struct osw_msg m = {.type = OSW_MSG_LEAVE, .u.leave = {why, unsound}};

    osw_rank_post(l, &m);
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

void osw_rank_say_ready(struct osw_rank *l)
{
    struct osw_msg ready = {
        .type = OSW_MSG_READY,
        .u.ready = {.fit = l->judge != NULL, .device = l->info}};

    osw_rank_post(l, &ready);
}

void osw_rank_open_judge(struct osw_rank *l, const struct osw_msg_campaign *c)
{
    const struct osw_transport *t = l->link.transport;
    struct osw_error err = OSW_ERROR_INIT;
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
        .tick = osw_rank_tick,
        .tick_arg = l,
        .stop = &l->drop,
        .since_unix_ns = l->since_unix_ns,
        .info = &l->info,
    };

    l->objects = osw_rank_objects_open(l, c, osw_rank_tick);
    config.share = osw_rank_objects_share(l->objects);
    osw_device_info_init(&l->info);
    if (!config.profile)
        osw_fail(&err, OSW_PROTOCOL, "no profile '%s'", c->profile);
    else
        l->judge = l->ops->open(&config, &err);
    /* Opening a device takes long, and messages are read meanwhile. */
    if (l->judge && l->ops->expect && l->n_files != config.n_files)
        l->ops->expect(l->judge, l->n_files);
    if (l->judge || !osw_device_info_fit(&l->info))
        osw_rank_say_ready(l);
    else
        osw_rank_leave(l, err.text, false);
    l->drop = l->drop || !l->judge;
    l->ready_ns = l->proved_ns = osw_clock_ns();
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

/* Pause while the coordinator has not read what was sent. */
static void wait_for_room(struct osw_rank *l)
{
    while (!osw_rank_failed(l) && !l->ended &&
           osw_outbox_waiting(&l->link.out) > (size_t)BACKLOG_BYTES) {
        struct osw_transport *t = l->link.transport;

        if (!osw_rank_pump(l))
            t->ops->wait(t, l->heartbeat_ns);
        osw_rank_flush(l, false);
    }
}

/* Of those that are judged now, which has that cell?  n_now: none. */
static uint32_t find_bundle(const struct osw_rank *l, uint64_t cell)
{
    uint32_t i = 0;

    for (; i < l->n_now; i++) {
        const struct osw_msg_bundle *b = &l->now[i].u.bundle;

        if (cell >= b->first_cell && cell - b->first_cell < b->n)
            break;
    }
    return i;
}

/* The judge numbers the cells it was given; the plan may have others before
 * them, settled earlier.
 */
static void emit(void *arg, const struct osw_record *record)
{
    struct osw_rank *l = arg;
    uint32_t at = find_bundle(l, record->cell);
    const struct osw_msg_bundle *b;
    struct osw_msg m = {.type = OSW_MSG_RESULT};
    uint64_t i;

    if (at == l->n_now)
        return; /* not a cell of these bundles: missing at their end */
    b = &l->now[at].u.bundle;
    i = record->cell - b->first_cell;
    l->n_emitted[at]++;
    m.u.result.bundle = b->bundle;
    m.u.result.k = b->k[i];
    m.u.result.record = *record;
    m.u.result.record.cell = b->first_cell + b->k[i];
    if (b->rank == 0) { /* of a gang, the first member alone */
        osw_rank_post(l, &m);
        l->sum.n_results++;
    }
    add_phases(&l->sum, record);
    l->unproved = true;
    if (osw_state_group((enum osw_state)record->status_id) == OSW_GROUP_INFRA)
        l->doubt = true;
    osw_rank_flush(l, false);
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
        .warm_up = or_null(b->warm_up),
        .warm_up_fill = b->warm_up_fill,
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
static void learn(struct osw_rank *l, int64_t wall_ns)
{
    int64_t each = wall_ns / l->n_now + 1;
    int64_t n = together_ns / each;

    l->n_together = n < 1 ? 1 : n < l->most ? (uint32_t)n : l->most;
}

void osw_rank_prove(struct osw_rank *l)
{
    struct osw_msg m = {.type = OSW_MSG_PROVED};
    struct osw_error err = OSW_ERROR_INIT;
    int64_t start = osw_clock_ns();

    if (!l->judge || !l->ops->prove || l->prove_ns == 0 || !l->unproved)
        return;
    if (l->ops->prove(l->judge, &err) < 0) {
        osw_rank_leave(l, err.text, true);
        return;
    }
    l->proved_ns = osw_clock_ns();
    l->unproved = l->doubt = false;
    m.u.proved.took_ns = l->proved_ns - start;
    osw_rank_post(l, &m);
}

/* If this process is killed, these cells are suspected, and not all that it has
 * in hand.
 */
static void say_what_begins(struct osw_rank *l)
{
    struct osw_at_work_range ranges[OSW_AT_WORK_MAX];
    uint32_t n = 0;

    if (l->at_work_fd < 0 && l->journal) {
        l->at_work_fd =
            osw_at_work_open(l->journal, l->session, l->link.transport->rank);
        osw_reaper_report(l->at_work_fd, osw_at_work_death_at);
    }
    for (; n < l->n_now && n < OSW_AT_WORK_MAX; n++) {
        const struct osw_msg_bundle *b = &l->now[n].u.bundle;

        ranges[n].first = ranges[n].last = b->first_cell + b->k[0];
        for (uint32_t i = 1; i < b->n; i++) {
            uint64_t cell = b->first_cell + b->k[i];

            if (cell < ranges[n].first)
                ranges[n].first = cell;
            if (cell > ranges[n].last)
                ranges[n].last = cell;
        }
    }
    osw_at_work_write(l->at_work_fd, ranges, n < l->n_now ? 0 : n);
}

/* What the judge left out because it was told to stop has not failed. */
static void say_done(struct osw_rank *l, uint32_t i, int64_t wall_ns)
{
    const struct osw_msg_bundle *b = &l->now[i].u.bundle;
    struct osw_msg done = {.type = OSW_MSG_DONE,
                           .u.done = {b->bundle, b->attempt, wall_ns}};
    struct osw_msg given = {.type = OSW_MSG_GIVEN,
                            .u.given = {b->bundle, b->attempt, 0}};

    osw_rank_post(l, l->drop && l->n_emitted[i] < b->n ? &given : &done);
}

/* Those that are judged together share their time. */
static void judge_bundles(struct osw_rank *l)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t start = osw_clock_ns(), wall;
    int rc;

    say_what_begins(l);
    memset(l->n_emitted, 0, l->n_now * sizeof(*l->n_emitted));
    l->bundles[0].gang =
        osw_rank_gang_begin(l, &l->now[0].u.bundle, osw_rank_tick);
    rc = l->ops->run(l->judge, l->bundles, l->n_now, emit, l, &err);
    osw_rank_gang_end(l);
    l->judged_ns = osw_clock_ns();
    wall = l->judged_ns - start;
    l->sum.judge_ns += wall;
    l->sum.n_bundles += l->n_now;
    learn(l, wall);
    for (uint32_t i = 0; i < l->n_now && rc == 0; i++)
        say_done(l, i, wall / (int64_t)l->n_now);
    if (rc < 0)
        osw_rank_leave(l, err.text, false);
    l->n_now = 0;
}

/* May they be judged together?  A timed case is judged on its own, and so is a
 * gang's.  What a worker was lost at is, too: if it takes this one down, only
 * it can be the cause.
 */
static bool go_together(const struct osw_msg_bundle *a,
                        const struct osw_msg_bundle *b)
{
    return !a->time && !b->time && !a->size && !b->size && !a->failed &&
           !b->failed && strcmp(a->op_dir, b->op_dir) == 0;
}

void osw_rank_next_bundles(struct osw_rank *l)
{
    while (l->head && l->n_now < l->n_together) {
        struct osw_rank_kept *k = l->head;
        struct osw_msg *m = &l->now[l->n_now];
        bool known = osw_msg_decode(OSW_MSG_TO_WORKER, k->type, k->data, k->n,
                                    &l->spaces[l->n_now], m, l->err) == 0;

        if (known && l->n_now > 0 &&
            (!go_together(&l->now[0].u.bundle, &m->u.bundle) ||
             find_bundle(l, m->u.bundle.first_cell) < l->n_now))
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
            if (known)
                osw_rank_gang_refuse(l, &m->u.bundle);
            free(k);
        }
    }
    if (l->n_now > 0)
        judge_bundles(l);
    if (l->doubt || osw_clock_ns() - l->proved_ns > l->prove_ns)
        osw_rank_prove(l);
    osw_rank_free_kept(&l->taken);
    if (osw_clock_ns() - l->flushed_ns > flush_after_ns)
        osw_rank_flush(l, true);
}
