/* test_worker_loop.c - a worker rank, with the test as its coordinator */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "mpi_runner/transport/link.h"
#include "ops/record/state.h"

/* --- a judge that passes everything, slowly when asked to --- */

static void (*tick)(void *arg);
static void *tick_arg;
static int n_judged;
static const volatile bool *stop; /* begin no other bundle */

static const char *health = "ok"; /* of its device; else nothing is judged */

static _Atomic uint32_t n_opened_for, n_expected; /* files */

static atomic_bool opens_slowly; /* for as long as it is set */

static _Atomic int n_opened, n_closed, n_rested;

static void *judge_open(const struct osw_worker_config *config,
                        struct osw_error *err)
{
    tick = config->tick;
    tick_arg = config->tick_arg;
    stop = config->stop;
    n_opened++;
    n_opened_for = config->n_files;
    while (opens_slowly)
        osw_clock_sleep_ns(1000000);
    tick(tick_arg);
    strcpy(config->info->name, "fake");
    strcpy(config->info->health, health);
    if (osw_device_info_fit(config->info))
        return &n_judged;
    osw_fail(err, OSW_DEVICE, "%s", health);
    return NULL;
}

static void judge_close(void *judge)
{
    (void)judge;
    n_closed++;
}

static void judge_rest(void *judge)
{
    (void)judge;
    n_rested++;
}

static char together[9]; /* bundles that it was given at a time, as digits */

static int judge_run(void *judge, const struct osw_bundle *b, uint32_t n,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err)
{
    (void)judge;
    (void)err;
    n_judged++;
    if (n_judged < (int)sizeof(together))
        together[n_judged - 1] = (char)('0' + n);
    /* So many ms; below 0: until it is asked to stop. */
    for (int i = 0; b->cost_ns < 0 ? !*stop : i < b->cost_ns; i++) {
        osw_clock_sleep_ns(1000000);
        tick(tick_arg);
    }
    for (uint32_t left = n; left > 0 && (left == n || !*stop); left--, b++)
        for (uint32_t i = 0; i < b->n_impls; i++) {
            struct osw_record r;

            osw_record_init(&r);
            r.status_id = OSW_STATE_PASS;
            r.cell = b->first_cell + i;
            r.cell_key = b->cell_keys[i];
            r.attempt = b->attempt;
            emit(arg, &r);
        }
    return 0;
}

static int n_abandoned;

static void judge_abandon(void *judge)
{
    (void)judge;
    n_abandoned++;
}

static void judge_expect(void *judge, uint32_t n_files)
{
    (void)judge;
    n_expected = n_files;
}

static const struct osw_worker_ops judge = {.open = judge_open,
                                            .expect = judge_expect,
                                            .close = judge_close,
                                            .rest = judge_rest,
                                            .abandon = judge_abandon,
                                            .together = 8,
                                            .run = judge_run};

/* --- the test's end --- */

struct fixture {
    struct osw_transport *mine, *other;
    struct osw_link link;
    struct osw_msg_space space;
    pthread_t thread;
    struct osw_worker_life life;
    int rc; /* of the worker */
    bool lost;
    struct osw_error err;
    bool have; /* a frame is being read */
    unsigned char frame[OSW_FRAME_MAX];
};

static void *worker_main(void *arg)
{
    struct fixture *f = arg;

    f->rc = osw_worker_loop_run(f->other, &judge, &f->life, &f->lost, &f->err);
    f->other->ops->close(f->other, f->lost, 0);
    return NULL;
}

static void post(struct fixture *f, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_link_post(&f->link, m, &err), 0);
}

static void flush(struct fixture *f)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_link_flush(&f->link, true, 0, &err), 0);
}

static void say(struct fixture *f, const struct osw_msg *m)
{
    post(f, m);
    flush(f);
}

/* The next message that is no heartbeat. */
static struct osw_msg hear(struct fixture *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m = {.type = OSW_MSG_HEARTBEAT};

    while (m.type == OSW_MSG_HEARTBEAT) {
        const void *data;
        uint8_t type;
        size_t n;
        int peer;

        while (!f->have) {
            if (f->mine->ops->poll(f->mine, &peer, f->frame, &n, &err) == 1) {
                assert_int_equal(osw_inbox_open(&f->link.in, f->frame, n, &err),
                                 0);
                f->have = true;
            } else {
                f->mine->ops->wait(f->mine, 1000000);
            }
        }
        if (osw_inbox_next(&f->link.in, &type, &data, &n, &err) != 1) {
            f->have = false;
            continue;
        }
        assert_int_equal(osw_msg_decode(OSW_MSG_TO_COORDINATOR, type, data, n,
                                        &f->space, &m, &err),
                         0);
    }
    return m;
}

static void expect(struct fixture *f, enum osw_msg_type type)
{
    assert_int_equal(hear(f).type, type);
}

static char folder[32]; /* of the journal; "": there is none */

static void say_campaign_of(struct fixture *f, const char *profile,
                            int64_t silence_ns, uint32_t n_files)
{
    struct osw_msg m = {.type = OSW_MSG_CAMPAIGN,
                        .u.campaign = {.device = "cpu",
                                       .profile = profile,
                                       .cache_dir = "",
                                       .include_dir = "",
                                       .sandbox_path = "",
                                       .python = "",
                                       .host = "",
                                       .journal = folder,
                                       .session = 3,
                                       .n_files = n_files,
                                       .heartbeat_ns = 5000000,
                                       .silence_ns = silence_ns}};

    say(f, &m);
}

static void say_campaign(struct fixture *f, const char *profile,
                         int64_t silence_ns)
{
    say_campaign_of(f, profile, silence_ns, 0);
}

static void post_bundle(struct fixture *f, uint32_t number, uint32_t attempt,
                        uint64_t first_cell, int64_t ms)
{
    static const uint32_t k[] = {1, 3};
    static const uint64_t keys[] = {101, 103};
    static const char *const impls[] = {"fast", "odd"};
    struct osw_msg m = {.type = OSW_MSG_BUNDLE,
                        .u.bundle = {.bundle = number,
                                     .attempt = attempt,
                                     .first_cell = first_cell,
                                     .op_dir = "ops/a",
                                     .case_text = "((), {})",
                                     .fill = "",
                                     .warm_up = "",
                                     .warm_up_fill = "",
                                     .baselines = "",
                                     .check = OSW_CHECK_FULL,
                                     .cost_ns = ms,
                                     .failed = attempt > 1,
                                     .n = 2,
                                     .k = k,
                                     .keys = keys,
                                     .impls = impls}};

    post(f, &m);
}

static void say_bundle(struct fixture *f, uint32_t number, int64_t ms)
{
    post_bundle(f, number, 2, 40, ms);
    flush(f);
}

static void await_judging(void)
{
    while (n_judged == 0)
        osw_clock_sleep_ns(1000000);
}

static void say_stop(struct fixture *f, bool now)
{
    say(f, &(struct osw_msg){.type = OSW_MSG_STOP, .u.stop = {now}});
}

static void say_end(struct fixture *f, bool lost)
{
    say(f, &(struct osw_msg){.type = OSW_MSG_END, .u.end = {lost}});
}

static int set_up_with(void **state, int64_t silence_ns)
{
    struct fixture *f = calloc(1, sizeof(*f));

    if (!f || osw_transport_open_loop(&f->mine, &f->other, &f->err) < 0)
        return -1;
    n_judged = 0;
    f->life.silence_ns = silence_ns;
    osw_link_open(&f->link, f->mine, 1, 0);
    *state = f;
    return pthread_create(&f->thread, NULL, worker_main, f);
}

static int set_up(void **state)
{
    return set_up_with(state, 0);
}

/* The worker has ended, one way or the other. */
static void join(struct fixture *f)
{
    assert_int_equal(pthread_join(f->thread, NULL), 0);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_link_close(&f->link);
    f->mine->ops->close(f->mine, false, 0);
    free(f);
    return 0;
}

/* --- the life --- */

static void a_whole_life_in_order(void **state)
{
    struct fixture *f = *state;
    struct osw_msg m = hear(f);

    assert_int_equal(m.type, OSW_MSG_HELLO);
    assert_int_equal(m.u.hello.version, OSW_MSG_VERSION);
    assert_int_equal(m.u.hello.local_index, 0);
    say_campaign(f, "smoke", 30000000000);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_READY);
    assert_string_equal(m.u.ready.device.name, "fake");
    assert_string_equal(m.u.ready.device.health, "ok");
    assert_int_equal(m.u.ready.fit, 1);
    say_bundle(f, 9, 0);
    for (uint32_t i = 0; i < 2; i++) { /* cells 1 and 3 of the bundle */
        m = hear(f);
        assert_int_equal(m.type, OSW_MSG_RESULT);
        assert_int_equal(m.u.result.bundle, 9);
        assert_int_equal(m.u.result.k, 1 + 2 * i);
        assert_int_equal(m.u.result.record.cell, 41 + 2 * i);
        assert_int_equal(m.u.result.record.cell_key, 101 + 2 * i);
        assert_int_equal(m.u.result.record.attempt, 2);
    }
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_DONE);
    assert_int_equal(m.u.done.bundle, 9);
    assert_int_equal(m.u.done.attempt, 2);
    say(f, &(struct osw_msg){.type = OSW_MSG_ACK, .u.ack = {2}});
    say_stop(f, false);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_SUMMARY);
    assert_int_equal(m.u.summary.n_bundles, 1);
    assert_int_equal(m.u.summary.n_results, 2);
    assert_int_equal(m.u.summary.n_acked, 2);
    assert_true(m.u.summary.idle_ns + m.u.summary.judge_ns <=
                m.u.summary.wall_ns);
    say_end(f, true);
    join(f);
    assert_int_equal(f->rc, 0);
    assert_true(f->lost);
}

/* All of them come at once. */
static void what_came_back_is_judged_by_itself(void **state)
{
    static const uint32_t attempts[] = {1, 1, 2, 1};
    struct fixture *f = *state;

    memset(together, 0, sizeof(together));
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    for (uint32_t i = 0; i < 4; i++)
        post_bundle(f, i, attempts[i], 40 + 10 * i, 0);
    flush(f);
    for (int n_done = 0; n_done < 4;)
        n_done += hear(f).type == OSW_MSG_DONE;
    assert_string_equal(together, "211");
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, true);
    join(f);
}

static void
a_campaign_that_is_planned_later_says_how_many_files_come(void **state)
{
    struct fixture *f = *state;

    n_opened_for = n_expected = UINT32_MAX;
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    assert_int_equal(n_opened_for, 0);
    say_campaign_of(f, "smoke", 30000000000, 12);
    say_bundle(f, 9, 0);
    expect(f, OSW_MSG_RESULT);
    assert_int_equal(n_expected, 12);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_DONE);
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
}

static void and_so_does_one_that_is_planned_while_a_device_opens(void **state)
{
    struct fixture *f = *state;

    n_opened_for = n_expected = UINT32_MAX;
    opens_slowly = true;
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    while (n_opened_for != 0)
        osw_clock_sleep_ns(1000000);
    say_campaign_of(f, "smoke", 30000000000, 12);
    opens_slowly = false;
    expect(f, OSW_MSG_READY);
    assert_int_equal(n_expected, 12);
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
}

static void stop_lets_waiting_bundles_be_judged(void **state)
{
    struct fixture *f = *state;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    for (uint32_t i = 0; i < 3; i++)
        say_bundle(f, i, 0);
    say_stop(f, false);
    for (uint32_t i = 0; i < 3; i++) {
        expect(f, OSW_MSG_RESULT);
        expect(f, OSW_MSG_RESULT);
        expect(f, OSW_MSG_DONE);
    }
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(f->rc, 0);
    assert_false(f->lost);
}

/* Of two that are judged together. */
static void what_the_judge_leaves_out_at_a_stop_is_given_back(void **state)
{
    struct fixture *f = *state;
    struct osw_msg m;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    post_bundle(f, 0, 1, 40, -1);
    post_bundle(f, 1, 1, 50, 0);
    flush(f);
    await_judging();
    say_stop(f, true);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_DONE);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_GIVEN);
    assert_int_equal(m.u.given.bundle, 1);
    assert_int_equal(m.u.given.attempt, 1);
    assert_int_equal(m.u.given.n_left, 0);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, true);
    join(f);
}

static void stop_now_drops_what_was_not_begun(void **state)
{
    struct fixture *f = *state;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say_bundle(f, 0, 300);
    say_bundle(f, 1, 0);
    say_bundle(f, 2, 0);
    await_judging();
    say_stop(f, true);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_DONE);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(n_judged, 1);
}

static void it_gives_back_the_last_of_what_it_has_not_begun(void **state)
{
    struct fixture *f = *state;
    struct osw_msg m;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say_bundle(f, 0, 300);
    for (uint32_t i = 1; i < 5; i++)
        say_bundle(f, i, 0);
    await_judging();
    say(f, &(struct osw_msg){.type = OSW_MSG_RECALL, .u.recall = {3}});
    for (uint32_t i = 0; i < 3; i++) {
        m = hear(f);
        assert_int_equal(m.type, OSW_MSG_GIVEN);
        assert_int_equal(m.u.given.bundle, 2 + i);
        assert_int_equal(m.u.given.attempt, 2);
        assert_int_equal(m.u.given.n_left, 2 - i);
    }
    say_bundle(f, 7, 0); /* more may come after it */
    say_stop(f, false);
    for (int i = 0; i < 3; i++) {
        expect(f, OSW_MSG_RESULT);
        expect(f, OSW_MSG_RESULT);
        expect(f, OSW_MSG_DONE);
    }
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(n_judged, 3);
}

static void with_nothing_to_give_back_it_says_so(void **state)
{
    struct fixture *f = *state;
    struct osw_msg m;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say(f, &(struct osw_msg){.type = OSW_MSG_RECALL, .u.recall = {3}});
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_GIVEN);
    assert_int_equal(m.u.given.bundle, UINT32_MAX);
    assert_int_equal(m.u.given.n_left, 0);
    say_end(f, false);
    join(f);
}

static void without_a_campaign_it_may_be_sent_home(void **state)
{
    struct fixture *f = *state;

    expect(f, OSW_MSG_HELLO);
    say_end(f, false);
    join(f);
    assert_int_equal(f->rc, 0);
    assert_false(f->lost);
}

/* It gets nothing, not even heartbeats, and ends; also while it judges. */
static void a_silent_coordinator_is_left(void **state)
{
    struct fixture *f = *state;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 50000000);
    join(f);
    assert_int_equal(f->rc, -1);
    assert_int_equal(f->err.status, OSW_TIMEOUT);
    assert_ptr_equal(strstr(f->err.text, "the coordinator was silent for "),
                     f->err.text);
    assert_true(f->lost);
}

/* Before its campaign, too. */
static void one_that_never_spoke_is_left(void **state)
{
    struct fixture *f = *state;

    expect(f, OSW_MSG_HELLO);
    join(f);
    assert_int_equal(f->rc, -1);
    assert_int_equal(f->err.status, OSW_TIMEOUT);
    assert_true(f->lost);
}

static int set_up_impatient(void **state)
{
    return set_up_with(state, 50000000);
}

/* --- one campaign after another --- */

static void say_series(struct fixture *f, uint64_t seed)
{
    struct osw_msg m = {.type = OSW_MSG_CAMPAIGN,
                        .u.campaign = {.device = "cpu",
                                       .profile = "smoke",
                                       .seed = seed,
                                       .cache_dir = "",
                                       .include_dir = "",
                                       .sandbox_path = "",
                                       .python = "",
                                       .host = "",
                                       .journal = "",
                                       .heartbeat_ns = 5000000,
                                       .silence_ns = 30000000000,
                                       .series = 1}};

    say(f, &m);
}

/* From its hello to its summary. */
static void live_through(struct fixture *f, uint64_t seed)
{
    struct osw_msg m;

    say_series(f, seed);
    expect(f, OSW_MSG_HELLO);
    say_series(f, seed); /* its answer */
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_READY);
    assert_string_equal(m.u.ready.device.name, "fake");
    assert_int_equal(m.u.ready.fit, 1);
    say_bundle(f, 9, 0);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_DONE);
    say_stop(f, false);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_SUMMARY);
    assert_int_equal(m.u.summary.n_bundles, 1); /* of this campaign alone */
}

static void a_series_keeps_the_judge_as_long_as_it_would_be_the_same(void **s)
{
    static const struct {
        uint64_t seed;
        int n_opened, n_closed, n_rested; /* since the series began */
    } campaigns[] = {{1, 1, 0, 1}, {1, 1, 0, 2}, {2, 2, 1, 3}, {2, 2, 1, 4}};
    struct fixture *f = *s;

    n_opened = n_closed = n_rested = 0;
    for (size_t i = 0; i < sizeof(campaigns) / sizeof(campaigns[0]); i++) {
        live_through(f, campaigns[i].seed);
        assert_int_equal(n_opened, campaigns[i].n_opened);
        assert_int_equal(n_closed, campaigns[i].n_closed);
        assert_int_equal(n_rested, campaigns[i].n_rested);
    }
    say_end(f, false);
    join(f);
    assert_int_equal(f->rc, 0);
    assert_int_equal(n_closed, 2);
}

/* A campaign of which nothing is left to be judged. */
static void one_that_stops_before_it_hears_of_the_worker_is_no_matter(void **s)
{
    struct fixture *f = *s;

    live_through(f, 1);
    say_series(f, 1);
    say_stop(f, false);
    expect(f, OSW_MSG_HELLO);
    expect(f, OSW_MSG_READY);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(f->rc, 0);
}

/* --- in the middle of a bundle --- */

/* Read what came: whether the bundle is done, and how many heartbeats. */
static bool take_beats(struct fixture *f, int *n_beats)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool done = false;
    const void *data;
    uint8_t type;
    size_t n;
    int peer;

    while (f->mine->ops->poll(f->mine, &peer, f->frame, &n, &err) == 1) {
        assert_int_equal(osw_inbox_open(&f->link.in, f->frame, n, &err), 0);
        while (osw_inbox_next(&f->link.in, &type, &data, &n, &err) == 1) {
            *n_beats += type == OSW_MSG_HEARTBEAT;
            done |= type == OSW_MSG_DONE;
        }
    }
    return done;
}

/* Whenever it looks, there is a message to read. */
static void it_beats_also_while_it_is_spoken_to(void **state)
{
    const struct osw_msg heartbeat = {.type = OSW_MSG_HEARTBEAT};
    struct fixture *f = *state;
    int n_beats = 0;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say_bundle(f, 0, 100); /* at least 100 ms, a heartbeat each 5 ms */
    while (!take_beats(f, &n_beats)) {
        say(f, &heartbeat);
        osw_clock_sleep_ns(50000); /* or it would never have read all */
    }
    assert_true(n_beats >= 5);
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(f->rc, 0);
}

static enum osw_status quit_status;
static volatile sig_atomic_t has_quit;

/* As if this were the end of the process. */
static void quit_for_ever(const struct osw_error *why)
{
    quit_status = why->status;
    has_quit = 1;
    for (;;)
        osw_clock_sleep_ns(1000000000);
}

static void await_quit(struct fixture *f)
{
    while (!has_quit)
        osw_clock_sleep_ns(1000000);
    assert_int_equal(pthread_detach(f->thread), 0);
    assert_int_equal(n_abandoned, 1);
}

/* It judges something that takes a minute. */
static void begin_a_minute(struct fixture *f, int64_t silence_ns)
{
    quit_status = OSW_INTERNAL;
    n_abandoned = 0;
    has_quit = 0;
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", silence_ns);
    expect(f, OSW_MSG_READY);
    f->life.quit = quit_for_ever;
    say_bundle(f, 0, 60000);
    await_judging();
}

static void the_end_of_a_campaign_that_lost_it_is_no_time_to_finish(void **s)
{
    struct fixture *f = *s;

    begin_a_minute(f, 30000000000);
    say_stop(f, true);
    say_end(f, true);
    await_quit(f);
    assert_int_equal(quit_status, OSW_OK);
}

static void nor_is_the_silence_of_the_coordinator(void **state)
{
    struct fixture *f = *state;

    begin_a_minute(f, 50000000);
    await_quit(f);
    assert_int_equal(quit_status, OSW_TIMEOUT);
}

/* Did it leave the file that says that it outlived the coordinator?  It says
 * in another one which cells it was at.
 */
static bool recorded_that_it_outlived(void)
{
    char path[64];
    bool there;

    snprintf(path, sizeof(path), "%s/outlived.3.1", folder);
    there = unlink(path) == 0;
    snprintf(path, sizeof(path), "%s/at_work.3.1", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* there is nothing else */
    folder[0] = '\0';
    return there;
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/osw-journal-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void a_worker_that_outlives_the_coordinator_says_so(void **state)
{
    struct fixture *f = *state;

    make_folder();
    begin_a_minute(f, 50000000);
    await_quit(f);
    assert_true(recorded_that_it_outlived());
}

static void one_that_is_sent_home_has_nothing_to_say(void **state)
{
    struct fixture *f = *state;

    make_folder();
    begin_a_minute(f, 30000000000);
    say_stop(f, true);
    say_end(f, true);
    await_quit(f);
    assert_false(recorded_that_it_outlived());
}

/* The coordinator's disk is full: no cell is to blame. */
static void one_whose_end_cannot_be_recorded_says_so(void **state)
{
    const struct osw_msg end = {.type = OSW_MSG_END,
                                .u.end = {.lost = 1, .unrecorded = 1}};
    struct fixture *f = *state;

    make_folder();
    begin_a_minute(f, 30000000000);
    say_stop(f, true);
    say(f, &end);
    await_quit(f);
    assert_true(recorded_that_it_outlived());
}

/* --- signals --- */

static volatile sig_atomic_t n_stop;

static void a_worker_that_is_asked_alone_ends_its_bundle_and_leaves(void **s)
{
    struct fixture *f = *s;
    struct osw_msg m;

    n_stop = 0;
    f->life.n_stop = &n_stop;
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say_bundle(f, 0, 200);
    say_bundle(f, 1, 0);
    await_judging();
    n_stop = 1;
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_RESULT);
    expect(f, OSW_MSG_DONE);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_LEAVE);
    assert_string_equal(m.u.leave.reason, "this rank alone was asked to stop");
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(n_judged, 1);
}

static void asked_together_with_the_coordinator_it_waits_for_its_word(void **s)
{
    struct fixture *f = *s;

    n_stop = 1;
    f->life.n_stop = &n_stop;
    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "smoke", 30000000000);
    expect(f, OSW_MSG_READY);
    say_bundle(f, 0, 0);
    osw_clock_sleep_ns(300000000);
    say_stop(f, true);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, false);
    join(f);
    assert_int_equal(n_judged, 0);
}

static void a_coordinator_that_talks_nonsense_is_left(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    expect(f, OSW_MSG_HELLO);
    assert_int_equal(f->mine->ops->send(f->mine, 1, "nonsense", 8, &err), 1);
    join(f);
    assert_int_equal(f->rc, -1);
    assert_int_equal(f->err.status, OSW_PROTOCOL);
    assert_string_equal(f->err.text,
                        "frame starts with 0x6f6e, expected 0x736f");
}

static void a_profile_that_is_not_known_here_makes_it_leave(void **state)
{
    struct fixture *f = *state;
    struct osw_msg m;

    expect(f, OSW_MSG_HELLO);
    say_campaign(f, "heroic", 30000000000);
    m = hear(f);
    assert_int_equal(m.type, OSW_MSG_LEAVE);
    assert_string_equal(m.u.leave.reason, "no profile 'heroic'");
    say_stop(f, false);
    expect(f, OSW_MSG_SUMMARY);
    say_end(f, true);
    join(f);
    assert_int_equal(f->rc, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_whole_life_in_order),
        T(what_came_back_is_judged_by_itself),
        T(a_campaign_that_is_planned_later_says_how_many_files_come),
        T(and_so_does_one_that_is_planned_while_a_device_opens),
        T(stop_lets_waiting_bundles_be_judged),
        T(what_the_judge_leaves_out_at_a_stop_is_given_back),
        T(stop_now_drops_what_was_not_begun),
        T(it_gives_back_the_last_of_what_it_has_not_begun),
        T(with_nothing_to_give_back_it_says_so),
        T(without_a_campaign_it_may_be_sent_home),
        T(a_silent_coordinator_is_left),
        cmocka_unit_test_setup_teardown(one_that_never_spoke_is_left,
                                        set_up_impatient, tear_down),
        T(a_series_keeps_the_judge_as_long_as_it_would_be_the_same),
        T(one_that_stops_before_it_hears_of_the_worker_is_no_matter),
        T(it_beats_also_while_it_is_spoken_to),
        T(the_end_of_a_campaign_that_lost_it_is_no_time_to_finish),
        T(nor_is_the_silence_of_the_coordinator),
        T(a_worker_that_outlives_the_coordinator_says_so),
        T(one_that_is_sent_home_has_nothing_to_say),
        T(one_whose_end_cannot_be_recorded_says_so),
        T(a_worker_that_is_asked_alone_ends_its_bundle_and_leaves),
        T(asked_together_with_the_coordinator_it_waits_for_its_word),
        T(a_coordinator_that_talks_nonsense_is_left),
        T(a_profile_that_is_not_known_here_makes_it_leave),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/worker_loop", tests, NULL,
                                       NULL);
}
