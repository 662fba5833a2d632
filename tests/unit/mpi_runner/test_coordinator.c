/* test_coordinator.c - coordinator and worker loop, joined by the loop-back
 * transport; the judge is a table of behaviours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/ranks/broadcast.h"
#include "mpi_runner/ranks/coordinator.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "mpi_runner/transport/link.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_CELLS = 4096, N_LIVES = 3 };

/* --- a plan --- */

static const struct osw_op ops[] = {{.dir = "ops/a"}, {.dir = "ops/b"}};
static const char *const impls[] = {"plain", "fast", "odd", "worse"};
static const char *const reasons[] = {"", "", "too large", "no op"};
static const uint64_t keys[] = {101, 102, 103, 104};

/* Bundles of four cells, of which the first n_run run. */
static struct osw_plan make_plan(struct osw_plan_bundle *b, size_t n,
                                 uint32_t n_run)
{
    struct osw_plan plan = {.n_bundles = n, .bundles = b};

    for (size_t i = 0; i < n; i++) {
        b[i] = (struct osw_plan_bundle){
            .op = &ops[i * N_ELEM(ops) / n],
            .op_name = "aten.x.default",
            .case_text = "((T([2], f32),), {})",
            .fill = "normal",
            .dtype = "f32",
            .baselines = "plain",
            .check = OSW_CHECK_FULL,
            .cost_ns = (int64_t)(1000 + i % 7),
            .memory_bytes = 64,
            .first_cell = plan.n_cells,
            .n_cells = 4,
            .n_run = n_run,
            .impls = impls,
            .cell_keys = keys,
            .reasons = reasons,
        };
        plan.n_cells += 4;
        plan.n_run += n_run;
    }
    return plan;
}

/* What the judge at the other end does. */
enum behaviour {
    HONEST,        /* cell k of a bundle: pass, value, crash, pass */
    LONG_WINDED,   /* with the longest texts and samples */
    FORGETFUL,     /* leaves out one cell the first time */
    DEVICE_GONE,   /* every cell ends in `device` */
    BREAKS_DOWN,   /* cannot go on at the fifth bundle */
    CANNOT_START,  /* has no device */
    UNFIT,         /* has one that fails its check */
    BREAKS_LATER,  /* its device is unsound after the fifth bundle */
    BREAKS_SOON,   /* every cell ends in `device`, and it is unsound then */
    STOPS_ITSELF,  /* the fifth bundle asks for a stop */
    LEAVES,        /* says so, and then nothing more */
    STOPS_AT_LAST, /* has no results; at the last try the campaign is stopped */
    PAUSES,        /* says nothing for a while at the fifth bundle */
    MUTE,          /* no judge: a worker that falls silent */
    LISTENS,       /* no judge: a worker that counts the bundles it is sent */
};

static enum behaviour behaviour;
/* --- a sink that keeps records --- */

static volatile sig_atomic_t mute_is_lost;

/* The call that fails once a cell was begun. */
enum broken { SOUND, BAD_BEGIN, BAD_PUSH, BAD_COMMIT };

struct memory {
    uint8_t state[MAX_CELLS];
    uint32_t n_begun[MAX_CELLS];
    uint32_t n_begun_on_disk[MAX_CELLS];
    uint32_t last_begun[MAX_CELLS];  /* attempt */
    uint32_t last_pushed[MAX_CELLS]; /* or at least handed to the kernel */
    uint64_t n_begins, n_results, n_committed;
    int n_ranks, n_devices, n_unsound, n_events[OSW_EVENT_COUNT];
    uint8_t suspect[MAX_CELLS];
    struct osw_rank_summary summary;
    uint64_t fail_after; /* results; 0: never */
    enum broken broken;
};

static int break_down(const struct memory *m, enum broken call,
                      struct osw_error *err)
{
    if (m->broken != call || m->n_begins == 0)
        return 0;
    return osw_fail(err, OSW_SYSTEM, "disk broken");
}

static int take_device(void *sink, const char *host,
                       const struct osw_device_info *device, int32_t rank,
                       struct osw_error *err)
{
    (void)err;
    assert_string_not_equal(host, "");
    assert_string_equal(device->name, "fake");
    assert_string_equal(device->health,
                        behaviour == UNFIT ? "is on fire" : "ok");
    assert_int_equal(rank, 1);
    ((struct memory *)sink)->n_devices++;
    return 0;
}

static int take_unsound(void *sink, const struct osw_device_info *device,
                        int32_t rank, struct osw_error *err)
{
    (void)err;
    assert_int_equal(rank, 1);
    assert_string_equal(device->name, "fake");
    assert_ptr_equal(strstr(device->health,
                            behaviour == BREAKS_SOON
                                ? "failed later, 0 results are suspect: comp"
                                : "failed later, 8 results are suspect: comp"),
                     device->health);
    ((struct memory *)sink)->n_unsound++;
    return 0;
}

static int take_begin(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                      struct osw_error *err)
{
    struct memory *m = sink;

    if (break_down(m, BAD_BEGIN, err) < 0)
        return -1;
    assert_int_equal(rank, 1);
    assert_true(attempt > m->last_begun[cell]);
    m->last_begun[cell] = attempt;
    m->n_begun[cell]++;
    m->n_begins++;
    return 0;
}

static int take_result(void *sink, const struct osw_record *r,
                       const struct osw_cell_names *names,
                       struct osw_error *err)
{
    struct memory *m = sink;

    if (m->fail_after && m->n_results == m->fail_after)
        return osw_fail(err, OSW_SYSTEM, "disk full");
    assert_int_equal(m->state[r->cell], 0);
    assert_int_equal(r->cell_key, keys[r->cell % 4]);
    assert_int_equal(r->memory_bytes, 64);
    assert_string_equal(names->impl, impls[r->cell % 4]);
    m->state[r->cell] = r->status_id;
    m->n_results++;
    return 0;
}

static int take_event(void *sink, enum osw_event_kind kind, int32_t rank,
                      int64_t value, const char *text, struct osw_error *err)
{
    (void)rank;
    (void)text;
    (void)err;
    if (kind == OSW_EVENT_SUSPECT)
        ((struct memory *)sink)->suspect[value] = 1;
    if (kind == OSW_EVENT_RANK_LOST)
        mute_is_lost = 1;
    ((struct memory *)sink)->n_events[kind]++;
    return 0;
}

static int take_rank(void *sink, const struct osw_rank_summary *summary,
                     struct osw_error *err)
{
    struct memory *m = sink;

    (void)err;
    m->summary = *summary;
    m->n_ranks++;
    return 0;
}

static bool take_commit_due(const void *sink, int64_t now_ns)
{
    const struct memory *m = sink;

    (void)now_ns;
    return m->n_results - m->n_committed > 50;
}

static int take_push(void *sink, struct osw_error *err)
{
    struct memory *m = sink;

    if (break_down(m, BAD_PUSH, err) < 0)
        return -1;
    memcpy(m->last_pushed, m->last_begun, sizeof(m->last_begun));
    return 0;
}

static int take_commit(void *sink, struct osw_error *err)
{
    struct memory *m = sink;

    if (break_down(m, BAD_COMMIT, err) < 0 || take_push(sink, err) < 0)
        return -1;
    m->n_committed = m->n_results;
    memcpy(m->n_begun_on_disk, m->n_begun, sizeof(m->n_begun));
    return 0;
}

static const struct osw_sink_ops memory_ops = {
    .device = take_device,
    .unsound = take_unsound,
    .begin = take_begin,
    .result = take_result,
    .event = take_event,
    .rank = take_rank,
    .commit_due = take_commit_due,
    .commit = take_commit,
    .push = take_push,
};

/* --- a judge that does as told --- */

static volatile sig_atomic_t n_stop, campaign_has_ended;
static const struct osw_past *past; /* of the campaign */
static const struct memory *disk;   /* its sink */
static int n_bundles_seen;
static char long_text[OSW_RECORD_MAX_TEXT];
static float samples[OSW_RECORD_MAX_SAMPLES];

static void *fake_open(const struct osw_worker_config *config,
                       struct osw_error *err)
{
    assert_string_equal(config->device, "cpu");
    assert_string_equal(config->profile->name, "smoke");
    assert_int_equal(config->rank, 1);
    assert_int_equal(config->seed, 7);
    assert_null(config->cache_dir);
    assert_string_equal(config->include_dir, "include");
    n_bundles_seen = 0;
    if (behaviour != CANNOT_START)
        strcpy(config->info->name, "fake");
    if (behaviour != CANNOT_START && behaviour != UNFIT)
        return &n_bundles_seen;
    if (behaviour == UNFIT)
        strcpy(config->info->health, "is on fire");
    osw_fail(err, OSW_SYSTEM, "no device");
    return NULL;
}

static void fake_close(void *judge)
{
    assert_ptr_equal(judge, &n_bundles_seen);
}

static void fill_record(struct osw_record *r, const struct osw_bundle *b,
                        uint32_t i)
{
    static const uint8_t states[] = {OSW_STATE_PASS, OSW_STATE_VALUE,
                                     OSW_STATE_CRASH, OSW_STATE_PASS};

    osw_record_init(r);
    r->cell = b->first_cell + i;
    r->cell_key = b->cell_keys[i];
    r->attempt = b->attempt;
    r->rank = 1;
    r->run_ns = 5;
    r->status_id = states[b->cell_keys[i] - 101];
    if (behaviour == DEVICE_GONE || behaviour == BREAKS_SOON)
        r->status_id = OSW_STATE_DEVICE;
    if (behaviour == LONG_WINDED) {
        r->reason = r->output = r->reference = r->baseline = long_text;
        r->samples = samples;
        r->sample_n = N_ELEM(samples);
    }
}

static int fake_run(void *judge, const struct osw_bundle *b, uint32_t n,
                    void (*emit)(void *arg, const struct osw_record *record),
                    void *arg, struct osw_error *err)
{
    int nth = ++*(int *)judge;

    assert_int_equal(n, 1);
    assert_string_equal(b->case_text, "((T([2], f32),), {})");
    assert_string_equal(b->baselines, "plain");
    if (behaviour == BREAKS_DOWN && nth == 5)
        return osw_fail(err, OSW_SYSTEM, "device fell off the bus");
    if (behaviour == STOPS_ITSELF && nth == 5)
        n_stop = 1;
    if (behaviour == STOPS_AT_LAST) {
        n_stop = b->attempt == osw_coordinator_defaults.max_attempts;
        for (int i = 0; n_stop && i < 10000; i++) { /* until that is known */
            if (__atomic_load_n(&disk->n_events[OSW_EVENT_SIGNAL],
                                __ATOMIC_RELAXED) > 0)
                break;
            osw_clock_sleep_ns(1000000);
        }
        return 0;
    }
    if (behaviour == PAUSES && nth == 5)
        osw_clock_sleep_ns(1200000000);
    if ((behaviour == BREAKS_LATER && (nth == 3 || nth == 5)) ||
        (behaviour == BREAKS_SOON && nth >= 3))
        osw_clock_sleep_ns(400000000); /* longer than a proof lasts */
    for (uint32_t i = 0; i < b->n_impls; i++) {
        struct osw_record r;
        uint64_t cell;

        assert_string_equal(b->impls[i], impls[b->cell_keys[i] - 101]);
        cell = b->first_cell + b->cell_keys[i] - 101;
        /* Whatever the cell does to us, it is known that it was begun. */
        assert_true(disk->last_pushed[cell] >= b->attempt);
        if (past && past->died)
            assert_int_equal(disk->n_begun_on_disk[cell], 1);
        if (behaviour == FORGETFUL && b->attempt == 1 && i == 1)
            continue;
        fill_record(&r, b, i);
        emit(arg, &r);
    }
    return 0;
}

/* Good after three bundles, bad after five. */
static int fake_prove(void *judge, struct osw_error *err)
{
    int nth = *(int *)judge;

    if (nth < (behaviour == BREAKS_LATER  ? 5
               : behaviour == BREAKS_SOON ? 3
                                          : INT_MAX))
        return 0;
    return osw_fail(err, OSW_DEVICE, "computes nonsense");
}

static const struct osw_worker_ops fake_judge = {.open = fake_open,
                                                 .close = fake_close,
                                                 .prove = fake_prove,
                                                 .run = fake_run};

/* --- both together --- */

static void *worker_main(void *arg)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_worker_life life = {.n_stop = NULL};
    struct osw_transport *t = arg;
    bool lost;

    assert_int_equal(osw_worker_loop_run(t, &fake_judge, &life, &lost, &err),
                     0);
    t->ops->close(t, lost, 0);
    return NULL;
}

static void say_ready(struct osw_link *link, struct osw_transport *t)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg hello = {OSW_MSG_HELLO,
                            .u.hello = {OSW_MSG_VERSION, 1, 0, 1, "node1"}};
    struct osw_msg ready = {OSW_MSG_READY, .u.ready = {.fit = 1}};

    osw_device_info_init(&ready.u.ready.device);
    strcpy(ready.u.ready.device.name, "fake");
    osw_link_open(link, t, 0, 0);
    assert_int_equal(osw_link_post(link, &hello, &err), 0);
    assert_int_equal(osw_link_post(link, &ready, &err), 0);
    assert_int_equal(osw_link_flush(link, true, 0, &err), 0);
}

/* Says that it is ready, takes a bundle, and falls silent until it is lost. */
static void *mute_main(void *arg)
{
    struct osw_transport *t = arg;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg heartbeat = {OSW_MSG_HEARTBEAT, .u.heartbeat = {0}};
    unsigned char frame[OSW_FRAME_MAX];
    struct osw_link link;
    bool ended = false;
    size_t n;
    int peer;

    say_ready(&link, t);
    while (!mute_is_lost)
        osw_clock_sleep_ns(1000000);
    (void)!osw_link_post(&link, &heartbeat, &err); /* it is back */
    (void)!osw_link_flush(&link, true, 0, &err);
    while (!ended && t->ops->poll(t, &peer, frame, &n, &err) == 1)
        ended = frame[4] == OSW_MSG_END;
    osw_link_close(&link);
    t->ops->close(t, true, 0);
    return NULL;
}

/* Says that it is ready, and counts bundles until it is told to end. */
static void *listen_main(void *arg)
{
    struct osw_transport *t = arg;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char frame[OSW_FRAME_MAX];
    struct osw_link link;
    uint8_t type = 0;
    int peer;

    n_bundles_seen = 0;
    say_ready(&link, t);
    while (type != OSW_MSG_END) {
        const void *data;
        size_t n;

        if (t->ops->poll(t, &peer, frame, &n, &err) == 0) {
            t->ops->wait(t, 1000000);
            continue;
        }
        assert_int_equal(osw_inbox_open(&link.in, frame, n, &err), 0);
        while (osw_inbox_next(&link.in, &type, &data, &n, &err) == 1)
            n_bundles_seen += type == OSW_MSG_BUNDLE;
    }
    assert_int_equal(err.status, OSW_OK);
    osw_link_close(&link);
    t->ops->close(t, true, 0);
    return NULL;
}

/* Says that it is ready, and that it judges no more. */
static void *leave_main(void *arg)
{
    struct osw_transport *t = arg;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg leave = {OSW_MSG_LEAVE,
                            .u.leave = {"its device is gone", 0}};
    struct osw_link link;

    say_ready(&link, t);
    assert_int_equal(osw_link_post(&link, &leave, &err), 0);
    assert_int_equal(osw_link_flush(&link, true, 0, &err), 0);
    while (!campaign_has_ended)
        osw_clock_sleep_ns(1000000);
    osw_link_close(&link);
    t->ops->close(t, true, 0);
    return NULL;
}

static void *(*main_of(enum behaviour how))(void *arg)
{
    if (how == MUTE)
        return mute_main;
    if (how == LEAVES)
        return leave_main;
    return how == LISTENS ? listen_main : worker_main;
}

static int campaign(enum behaviour how, const struct osw_plan *plan,
                    struct memory *m, struct osw_outcome *out,
                    struct osw_error *err)
{
    struct osw_coordinator_config config = osw_coordinator_defaults;
    struct osw_transport *mine, *other;
    pthread_t worker;
    int rc;

    behaviour = how;
    n_stop = campaign_has_ended = 0;
    disk = m;
    config.past = past;
    config.n_stop = &n_stop;
    config.campaign = (struct osw_msg_campaign){.device = "cpu",
                                                .profile = "smoke",
                                                .seed = 7,
                                                .cache_dir = "",
                                                .include_dir = "include",
                                                .sandbox_path = "s",
                                                .python = "",
                                                .host = "",
                                                .journal = "",
                                                .heartbeat_ns = 1000000000,
                                                .silence_ns = 30000000000};
    assert_int_equal(osw_transport_find("loop")->open(&mine, &other, err), 0);
    if (how == MUTE || how == LEAVES)
        config.campaign.silence_ns = 50000000;
    if (how == PAUSES) /* longer than a busy machine keeps a thread waiting */
        config.campaign.silence_ns = 500000000;
    if (how == BREAKS_LATER || how == BREAKS_SOON)
        config.campaign.prove_ns = 300000000;
    if (how == PAUSES)
        config.campaign.heartbeat_ns = 10000000;
    assert_int_equal(pthread_create(&worker, NULL, main_of(how), other), 0);
    rc = osw_coordinator_run(plan, mine, &config, &memory_ops, m, out, err);
    campaign_has_ended = 1;
    if (!out->lost)
        osw_broadcast_end(mine);
    pthread_join(worker, NULL);
    mine->ops->close(mine, out->lost, 0);
    return rc;
}

/* Groups fail and error. */
#define BAD_STATES ((2u << OSW_STATE_REFERENCE) - (1u << OSW_STATE_VALUE))

/* Plan of n bundles of 4 cells, n_run of which run; what must come out. */
static const struct {
    const char *what;
    enum behaviour how;
    size_t n;
    uint32_t n_run;
    uint64_t pass, fail, error, not_judged, infra, open;
    int exit_code;
} campaigns[] = {
    /* clang-format off */
    { "nothing runs",            HONEST,       3, 0,   0,   0,   0, 12,  0,  0, 3 },
    { "only passes",             HONEST,     200, 1, 200,   0,   0, 600, 0,  0, 0 },
    { "all kinds",               HONEST,     250, 4, 500, 250, 250, 0,   0,  0, 1 },
    { "long records",            LONG_WINDED, 20, 4,  40,  20,  20, 0,   0,  0, 1 },
    { "cells that were left out", FORGETFUL, 100, 4, 200, 100, 100, 0,   0,  0, 1 },
    { "a device that failed",    DEVICE_GONE,  9, 2,   0,   0,   0, 18, 18,  0, 4 },
    { "a worker that breaks",    BREAKS_DOWN, 90, 1,   4,   0,   0, 270, 0, 86, 4 },
    { "a worker without device", CANNOT_START, 9, 4,   0,   0,   0, 0,   0, 36, 4 },
    { "a device that fails its check", UNFIT,       9, 4,   0,   0,   0, 0,   0, 36, 4 },
    /* clang-format on */
};

static void every_campaign_ends_with_all_cells_accounted_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(campaigns); i++) {
        struct osw_plan_bundle *b = calloc(campaigns[i].n, sizeof(*b));
        struct memory *m = calloc(1, sizeof(*m));
        struct osw_plan plan = make_plan(b, campaigns[i].n, campaigns[i].n_run);
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_outcome out;

        print_message("  case: %s\n", campaigns[i].what);
        assert_int_equal(campaign(campaigns[i].how, &plan, m, &out, &err), 0);
        assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], campaigns[i].pass);
        assert_int_equal(out.totals.n_group[OSW_GROUP_FAIL], campaigns[i].fail);
        assert_int_equal(out.totals.n_group[OSW_GROUP_ERROR],
                         campaigns[i].error);
        assert_int_equal(out.totals.n_group[OSW_GROUP_NOT_JUDGED],
                         campaigns[i].not_judged);
        assert_int_equal(out.totals.n_group[OSW_GROUP_INFRA],
                         campaigns[i].infra);
        assert_int_equal(out.n_open, campaigns[i].open);
        assert_int_equal(m->n_results + out.n_open, plan.n_cells);
        assert_int_equal(m->n_committed, m->n_results);
        assert_int_equal(osw_outcome_exit_code(&out, BAD_STATES),
                         campaigns[i].exit_code);
        free(m);
        free(b);
    }
}

static void every_cell_gets_the_state_its_judge_gave(void **state)
{
    static const uint8_t want[] = {OSW_STATE_PASS, OSW_STATE_VALUE,
                                   OSW_STATE_SKIPPED, OSW_STATE_SKIPPED};
    static struct osw_plan_bundle b[100];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 100, 2);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(HONEST, &plan, &m, &out, &err), 0);
    for (uint64_t c = 0; c < plan.n_cells; c++) {
        assert_int_equal(m.state[c], want[c % 4]);
        assert_int_equal(m.n_begun[c], c % 4 < 2 ? 1 : 0);
    }
    assert_int_equal(m.n_devices, 1);
    assert_int_equal(m.n_ranks, 1);
    assert_int_equal(m.summary.n_cells, 200);
    assert_int_equal(m.summary.run_ns, 200 * 5);
    assert_false(out.lost);
    assert_int_equal(out.n_stale, 0);
}

/* Of 100 bundles with 2 cells that run: every third first cell is known, the
 * second of bundle 8 took two sessions down, that of bundle 9 one.
 */
static void what_is_known_of_a_run_is_not_judged_again(void **state)
{
    static struct osw_plan_bundle b[100];
    static struct memory m;
    static uint8_t states[400], suspicions[400];
    struct osw_past known = {states, suspicions, true};
    struct osw_plan plan = make_plan(b, 100, 2);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;
    int rc;

    (void)state;
    for (int i = 0; i < 400; i += 12)
        states[i] = OSW_STATE_NAN;
    states[7] = OSW_STATE_SKIPPED; /* and the one before it is not */
    suspicions[8 * 4 + 1] = OSW_SUSPICION_PROVED;
    suspicions[9 * 4 + 1] = OSW_SUSPICION_SHARED;
    past = &known;
    rc = campaign(HONEST, &plan, &m, &out, &err);
    past = NULL;
    if (rc)
        fail_msg("%s", err.text);
    for (int i = 0; i < 400; i++) {
        bool again = states[i] == OSW_STATE_NONE && i != 8 * 4 + 1;

        assert_int_equal(m.n_begun[i], again && i % 4 < 2);
        assert_int_equal(m.state[i] != 0, states[i] == OSW_STATE_NONE);
    }
    assert_int_equal(m.state[8 * 4 + 1], OSW_STATE_LOST);
    assert_int_equal(m.state[9 * 4 + 1], OSW_STATE_VALUE);
    assert_int_equal(out.totals.n_state[OSW_STATE_NAN], 34);
    assert_int_equal(out.totals.n_state[OSW_STATE_LOST], 1);
    assert_int_equal(out.totals.n_recorded, 400);
    assert_int_equal(out.n_open, 0);
    assert_int_equal(osw_outcome_exit_code(&out, BAD_STATES), 4);
}

static void a_device_that_is_not_fit_is_recorded_with_the_reason(void **state)
{
    static struct osw_plan_bundle b[3];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 3, 1);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(UNFIT, &plan, &m, &out, &err), 0);
    assert_int_equal(m.n_devices, 1);
    assert_int_equal(m.n_events[OSW_EVENT_QUARANTINE], 1);
    assert_int_equal(m.n_events[OSW_EVENT_DEVICE_LOST], 0);
    assert_int_equal(m.n_results, 9); /* those that planning skipped */
    assert_int_equal(out.n_workers, 0);
    assert_int_equal(out.n_unfit, 1);
    assert_false(out.lost);
    assert_non_null(strstr(out.unfit, "rank 1: "));
    assert_non_null(strstr(out.unfit, ": is on fire"));
}

static void a_request_to_stop_leaves_the_rest_open(void **state)
{
    static struct osw_plan_bundle b[1000];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 1000, 1);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(STOPS_ITSELF, &plan, &m, &out, &err), 0);
    assert_true(out.stopped);
    assert_false(out.lost);
    assert_true(out.n_open > 0);
    assert_true(out.totals.n_group[OSW_GROUP_PASS] >= 5);
    assert_int_equal(m.n_results + out.n_open, plan.n_cells);
    assert_int_equal(osw_outcome_exit_code(&out, BAD_STATES), 4);
}

/* Nor is it lost by what ends then, however often it failed before. */
static void a_request_to_stop_leaves_the_last_try_open(void **state)
{
    static struct osw_plan_bundle b[1];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 1, 1);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(STOPS_AT_LAST, &plan, &m, &out, &err), 0);
    assert_true(out.stopped);
    assert_int_equal(m.n_begun[0], osw_coordinator_defaults.max_attempts);
    assert_int_equal(out.n_open, 1);
    assert_int_equal(out.totals.n_group[OSW_GROUP_INFRA], 0);
}

static void a_worker_that_falls_silent_is_lost_and_its_cells_stay_open(void **s)
{
    static struct osw_plan_bundle b[10];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 10, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)s;
    assert_int_equal(campaign(MUTE, &plan, &m, &out, &err), 0);
    assert_int_equal(out.n_lost, 1);
    assert_true(out.lost);
    assert_int_equal(out.n_open, 40);
    assert_in_range(m.n_events[OSW_EVENT_RANK_LOST], 1, 2);
    assert_int_equal(m.n_ranks, 0);
}

/* Its cells are not to blame for its silence afterwards. */
static void a_worker_that_left_is_not_lost_once_more(void **state)
{
    static struct osw_plan_bundle b[10];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 10, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(LEAVES, &plan, &m, &out, &err), 0);
    assert_int_equal(out.n_lost, 1);
    assert_true(out.lost);
    assert_int_equal(m.n_events[OSW_EVENT_DEVICE_LOST], 1);
    assert_int_equal(m.n_events[OSW_EVENT_RANK_LOST], 0);
}

/* A link that was down for a while: what it did meanwhile is dropped (the sink
 * takes no cell twice), and it works on.
 */
static void a_worker_that_comes_back_does_no_harm_and_gets_work_again(void **s)
{
    static struct osw_plan_bundle b[10];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 10, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)s;
    assert_int_equal(campaign(PAUSES, &plan, &m, &out, &err), 0);
    assert_int_equal(m.n_events[OSW_EVENT_RANK_LOST], 1);
    assert_true(out.n_stale >= 4);
    assert_int_equal(out.n_lost, 0);
    assert_int_equal(out.n_open, 0);
    assert_int_equal(m.n_results, 40);
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], 20);
    assert_int_equal(m.n_ranks, 1);
}

/* Results up to the last device check stand, those after it are marked; the
 * rest of the campaign is left to other workers, of which there are none here.
 */
static void
results_since_its_last_proof_are_suspect_when_a_device_fails(void **state)
{
    static struct osw_plan_bundle b[10];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 10, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;
    uint64_t n_suspect = 0;

    (void)state;
    assert_int_equal(campaign(BREAKS_LATER, &plan, &m, &out, &err), 0);
    assert_int_equal(m.n_unsound, 1);
    assert_int_equal(m.n_events[OSW_EVENT_QUARANTINE], 1);
    assert_int_equal(m.n_results, 20);
    assert_int_equal(out.n_open, 20);
    assert_int_equal(out.n_unsound, 1);
    assert_int_equal(out.n_suspect, 8);
    for (size_t i = 0; i < 40; i++) {
        n_suspect += m.suspect[i];
        assert_true(!m.suspect[i] || m.state[i]);
    }
    assert_int_equal(n_suspect, 8);
    assert_int_equal(osw_outcome_exit_code(&out, BAD_STATES), 4);
}

/* Those that ended without a verdict may be judged again: nothing to mark. */
static void what_has_no_verdict_is_not_suspect(void **state)
{
    static struct osw_plan_bundle b[1];
    static struct memory m;
    struct osw_plan plan = make_plan(b, 1, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(BREAKS_SOON, &plan, &m, &out, &err), 0);
    assert_int_equal(m.n_events[OSW_EVENT_QUARANTINE], 1);
    assert_int_equal(out.n_unsound, 1);
    assert_int_equal(m.n_results, 4);
    assert_int_equal(out.n_suspect, 0);
}

static void a_sink_that_fails_ends_the_campaign(void **state)
{
    static struct osw_plan_bundle b[100];
    static struct memory m = {.fail_after = 20};
    struct osw_plan plan = make_plan(b, 100, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    assert_int_equal(campaign(HONEST, &plan, &m, &out, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_string_equal(err.text, "disk full");
    assert_int_equal(m.n_results, 20);
}

/* Not even before the word that ends the worker. */
static void what_was_not_written_as_begun_is_never_sent(void **state)
{
    static const struct {
        const char *what;
        enum broken broken;
        bool died; /* a session before */
    } rows[] = {
        {"not recorded", BAD_BEGIN, false},
        {"not out of the process", BAD_PUSH, false},
        {"not on disk, where that is asked for", BAD_COMMIT, true},
    };
    static const uint8_t none[40];

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_plan_bundle b[10];
        struct memory m = {.broken = rows[i].broken};
        struct osw_past known = {none, none, rows[i].died};
        struct osw_plan plan = make_plan(b, 10, 4);
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_outcome out;
        int rc;

        print_message("  case: %s\n", rows[i].what);
        past = &known;
        rc = campaign(LISTENS, &plan, &m, &out, &err);
        past = NULL;
        assert_int_equal(rc, -1);
        assert_string_equal(err.text, "disk broken");
        assert_true(out.lost);
        assert_int_equal(n_bundles_seen, 0);
    }
}

/* A case text that no message holds costs its own cells only. */
static void a_bundle_too_long_for_a_message_is_skipped(void **state)
{
    static struct osw_plan_bundle b[3];
    static struct memory m;
    static char text[70001];
    struct osw_plan plan = make_plan(b, 3, 4);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    b[1].case_text = text;
    assert_int_equal(campaign(HONEST, &plan, &m, &out, &err), 0);
    for (uint64_t c = 0; c < 12; c++)
        assert_int_equal(m.state[c] == OSW_STATE_SKIPPED, c / 4 == 1);
}

static void the_exit_code_says_what_counts_as_failure(void **state)
{
    static const enum osw_state one_of[OSW_GROUP_COUNT] = {
        OSW_STATE_PASS, OSW_STATE_VALUE, OSW_STATE_CRASH, OSW_STATE_SKIPPED,
        OSW_STATE_LOST};
    static const struct {
        uint64_t group[OSW_GROUP_COUNT], open;
        uint32_t fail_on; /* bits of states */
        int want;
    } rows[] = {
        /* clang-format off */
        { { 1, 0, 0, 0, 0 }, 0, BAD_STATES, 0 },
        { { 1, 1, 0, 0, 0 }, 0, BAD_STATES, 1 },
        { { 1, 1, 0, 0, 0 }, 0, 0, 0 },
        { { 1, 1, 0, 0, 0 }, 0, 1u << OSW_STATE_NAN, 0 },
        { { 1, 0, 1, 0, 0 }, 0, BAD_STATES, 1 },
        { { 1, 0, 1, 0, 0 }, 0, 1u << OSW_STATE_VALUE, 0 },
        { { 1, 0, 0, 1, 0 }, 0, 1u << OSW_STATE_SKIPPED, 1 },
        { { 0, 0, 0, 1, 0 }, 0, BAD_STATES, 3 },
        { { 0, 0, 0, 0, 0 }, 0, BAD_STATES, 3 },
        { { 1, 1, 0, 0, 1 }, 0, BAD_STATES, 4 },
        { { 1, 1, 0, 0, 0 }, 1, BAD_STATES, 4 },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_outcome out = {.n_open = rows[i].open};

        for (int g = 0; g < OSW_GROUP_COUNT; g++)
            out.totals.n_state[one_of[g]] = rows[i].group[g];
        memcpy(out.totals.n_group, rows[i].group, sizeof(rows[i].group));
        assert_int_equal(osw_outcome_exit_code(&out, rows[i].fail_on),
                         rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_campaign_ends_with_all_cells_accounted_for),
        cmocka_unit_test(every_cell_gets_the_state_its_judge_gave),
        cmocka_unit_test(what_is_known_of_a_run_is_not_judged_again),
        cmocka_unit_test(a_device_that_is_not_fit_is_recorded_with_the_reason),
        cmocka_unit_test(a_request_to_stop_leaves_the_rest_open),
        cmocka_unit_test(a_request_to_stop_leaves_the_last_try_open),
        cmocka_unit_test(
            a_worker_that_falls_silent_is_lost_and_its_cells_stay_open),
        cmocka_unit_test(a_worker_that_left_is_not_lost_once_more),
        cmocka_unit_test(
            a_worker_that_comes_back_does_no_harm_and_gets_work_again),
        cmocka_unit_test(
            results_since_its_last_proof_are_suspect_when_a_device_fails),
        cmocka_unit_test(what_has_no_verdict_is_not_suspect),
        cmocka_unit_test(a_sink_that_fails_ends_the_campaign),
        cmocka_unit_test(what_was_not_written_as_begun_is_never_sent),
        cmocka_unit_test(a_bundle_too_long_for_a_message_is_skipped),
        cmocka_unit_test(the_exit_code_says_what_counts_as_failure),
    };

    osw_log_set(OSW_LOG_ERROR, NULL);
    memset(long_text, 'x', sizeof(long_text) - 1);
    return cmocka_run_group_tests_name("mpi_runner/coordinator", tests, NULL,
                                       NULL);
}
