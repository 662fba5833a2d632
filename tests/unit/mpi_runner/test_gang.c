/* test_gang.c - coordinator and workers that judge bundles together: real
 * messages between threads, and a judge that does as told
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "common/log.h"
#include "mpi_runner/ranks/broadcast.h"
#include "mpi_runner/ranks/coordinator.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "tests/unit/gang/gang_sink.h"
#include "tests/unit/mpi_runner/hub.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { ROUNDS = 5 };

/* --- a judge whose members add up what the others say --- */

enum fault {
    NONE,
    LEAVES,     /* one member cannot go on, in its first gang */
    ENDS_EARLY, /* ... takes no part in the second exchange */
    OTHER_SIZE, /* ... gives fewer bytes */
    TOO_LATE,   /* ... does not come before the others' deadline */
    SILENT,     /* ... says nothing any more until the others have failed */
    STOPS,      /* ... was asked to stop before it began */
    STOPS_ALL,  /* ... and then the campaign is */
    COMES_LATE, /* one worker is ready long after the others */
    UNSOUND,    /* the device of rank 2 is found to be, after all */
    DEVICE,     /* at the first try of cells 0 and 1 a device fails; it is found
                   sound afterwards */
};

static struct {
    enum fault fault;
    bool done;                        /* the fault, once */
    volatile sig_atomic_t n_stop;     /* of rank 1 */
    volatile sig_atomic_t n_stop_all; /* of the campaign */
    uint64_t ids[MAX_CELLS];   /* of gangs that began, of their first members */
    uint32_t n_gangs, n_alone; /* bundles, by first members and by one worker */
    uint32_t n_failed;         /* members whose exchange failed */
    uint32_t n_across;         /* members of gangs of several nodes */
    uint32_t n_proved;         /* times that a device was looked at */
    int64_t silent_ns;         /* how long it was */
    char why[256];             /* the last of them */
    pthread_mutex_t lock;
} judge = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct member {
    int rank;
    void (*tick)(void *arg);
    void *tick_arg;
};

static void *judge_open(const struct osw_worker_config *config,
                        struct osw_error *err)
{
    struct member *m = calloc(1, sizeof(*m));

    (void)err;
    assert_non_null(m);
    *m = (struct member){config->rank, config->tick, config->tick_arg};
    strcpy(config->info->name, "fake");
    if (judge.fault == COMES_LATE && config->rank == 3)
        osw_clock_sleep_ns(150000000);
    return m;
}

static void judge_close(void *arg)
{
    free(arg);
}

static bool strikes(enum fault fault, const struct osw_gang *gang)
{
    bool strikes = false;

    pthread_mutex_lock(&judge.lock);
    if (judge.fault == fault && !judge.done && gang->rank == gang->size - 1)
        strikes = judge.done = true;
    pthread_mutex_unlock(&judge.lock);
    return strikes;
}

static void note_failure(const struct osw_error *err)
{
    pthread_mutex_lock(&judge.lock);
    judge.n_failed++;
    snprintf(judge.why, sizeof(judge.why), "%.255s", err->text);
    pthread_mutex_unlock(&judge.lock);
}

static bool has_failed(void)
{
    bool failed;

    pthread_mutex_lock(&judge.lock);
    failed = judge.n_failed > 0;
    pthread_mutex_unlock(&judge.lock);
    return failed;
}

/* Each gives its rank, in more bytes each time. */
static int exchange(const struct osw_gang *gang, uint32_t round,
                    struct osw_error *err)
{
    bool late = judge.fault == TOO_LATE && round == 1 && !has_failed();
    unsigned char mine[OSW_GANG_MAX_EXCHANGE], all[64 * sizeof(mine)];
    uint32_t bytes = round * 12;
    int64_t limit_ns = late ? 50000000 : INT64_C(20000000000);

    memset(mine, (int)(gang->rank + round), sizeof(mine));
    if (gang->exchange(gang->arg, mine, bytes, all, osw_clock_ns() + limit_ns,
                       err) < 0)
        return -1;
    for (uint32_t i = 0; i < gang->size * bytes; i++)
        assert_int_equal(all[i], i / bytes + round);
    return 0;
}

/* Longer than the others wait. */
static void stay_away(const struct member *m)
{
    for (int i = 0; i < 20000 && !has_failed(); i++) {
        osw_clock_sleep_ns(1000000);
        m->tick(m->tick_arg);
    }
}

static void stay_silent(void)
{
    int64_t t0 = osw_clock_ns();

    while (!has_failed())
        osw_clock_sleep_ns(1000000);
    judge.silent_ns = osw_clock_ns() - t0;
}

/* Returns -1: no exchange succeeds any more. */
static int talk(const struct member *m, const struct osw_gang *gang)
{
    struct osw_error err = OSW_ERROR_INIT, again = OSW_ERROR_INIT;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round == 1 && strikes(ENDS_EARLY, gang))
            return -1;
        if (round == 1 && strikes(OTHER_SIZE, gang))
            round = 2;
        if (round == 1 && strikes(TOO_LATE, gang))
            stay_away(m);
        if (round == 1 && strikes(SILENT, gang))
            stay_silent();
        if (exchange(gang, round, &err) == 0)
            continue;
        note_failure(&err);
        assert_int_equal(exchange(gang, round, &again), -1);
        assert_string_equal(again.text, err.text);
        return -1;
    }
    return 0;
}

static void pass_all(const struct member *m, const struct osw_bundle *b,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg)
{
    for (uint32_t i = 0; i < b->n_impls; i++) {
        struct osw_record r;

        osw_record_init(&r);
        r.status_id =
            judge.fault == DEVICE && b->attempt == 1 && b->first_cell == 0
                ? OSW_STATE_DEVICE
                : OSW_STATE_PASS;
        r.cell = b->first_cell + i;
        r.cell_key = b->cell_keys[i];
        r.attempt = b->attempt;
        r.rank = m->rank;
        emit(arg, &r);
    }
}

static int judge_run(void *arg, const struct osw_bundle *b, uint32_t n,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *emit_arg, struct osw_error *err)
{
    struct member *m = arg;
    const struct osw_gang *gang = b->gang;

    if (gang && strikes(LEAVES, gang))
        return osw_fail(err, OSW_SYSTEM, "device fell off the bus");
    pthread_mutex_lock(&judge.lock);
    if (!gang)
        judge.n_alone += n;
    else if (gang->rank == 0)
        judge.ids[judge.n_gangs++] = gang->id;
    judge.n_across += gang && !gang->one_node;
    if (gang)
        assert_true(gang->leader <= gang->rank &&
                    (gang->leader == 0 || !gang->one_node));
    pthread_mutex_unlock(&judge.lock);
    judge.n_stop_all = judge.fault == STOPS_ALL;
    if (gang)
        assert_int_equal(n, 1);
    if (gang && talk(m, gang) < 0)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(b[i].gang == gang);
        pass_all(m, &b[i], emit, emit_arg);
    }
    return 0;
}

static int judge_prove(void *arg, struct osw_error *err)
{
    const struct member *m = arg;

    pthread_mutex_lock(&judge.lock);
    judge.n_proved++;
    pthread_mutex_unlock(&judge.lock);
    return judge.fault == UNSOUND && m->rank == 2
               ? osw_fail(err, OSW_SYSTEM, "computes nonsense")
               : 0;
}

static const struct osw_worker_ops judge_ops = {.open = judge_open,
                                                .close = judge_close,
                                                .prove = judge_prove,
                                                .run = judge_run,
                                                .together = 8};

/* --- campaigns --- */

static const struct osw_op ops[] = {{.dir = "ops/one"},
                                    {.dir = "ops/two", .world = 2},
                                    {.dir = "ops/three", .world = 3},
                                    {.dir = "ops/eight", .world = 8}};
static const char *const impls[] = {"plain", "fast"};
static const char *const reasons[] = {"", ""};
static const uint64_t keys[] = {101, 102};

/* Of each op so many bundles of two cells. */
static struct osw_plan make_plan(struct osw_plan_bundle *b,
                                 const uint32_t n[N_ELEM(ops)])
{
    struct osw_plan plan = {.bundles = b};

    for (size_t o = 0; o < N_ELEM(ops); o++)
        for (uint32_t i = 0; i < n[o]; i++) {
            b[plan.n_bundles++] =
                (struct osw_plan_bundle){.op = &ops[o],
                                         .op_name = "aten.x.default",
                                         .case_text = "((T([2], f32),), {})",
                                         .fill = "normal",
                                         .dtype = "f32",
                                         .baselines = "plain",
                                         .check = OSW_CHECK_FULL,
                                         .cost_ns = 1000000,
                                         .first_cell = plan.n_cells,
                                         .n_cells = 2,
                                         .n_run = 2,
                                         .impls = impls,
                                         .cell_keys = keys,
                                         .reasons = reasons};
            plan.n_cells += 2;
        }
    plan.n_run = plan.n_cells;
    return plan;
}

static void *worker_main(void *arg)
{
    struct osw_transport *t = arg;
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_worker_life life = {.n_stop = t->rank == 1 ? &judge.n_stop
                                                                : NULL};
    bool lost;

    assert_int_equal(osw_worker_loop_run(t, &judge_ops, &life, &lost, &err), 0);
    return NULL;
}

static void run(int n_workers, int on_node, const uint32_t n[N_ELEM(ops)],
                enum fault fault, struct memory *m, struct osw_outcome *out)
{
    struct osw_plan_bundle bundles[MAX_CELLS / 2];
    struct osw_plan plan = make_plan(bundles, n);
    struct osw_coordinator_config config = osw_coordinator_defaults;
    struct osw_error err = OSW_ERROR_INIT;
    struct hub *hub = hub_open(n_workers, on_node);
    pthread_t threads[HUB_RANKS];

    config.campaign = (struct osw_msg_campaign){.device = "cpu",
                                                .profile = "smoke",
                                                .cache_dir = "",
                                                .include_dir = "",
                                                .sandbox_path = "",
                                                .python = "",
                                                .host = "",
                                                .journal = "",
                                                .heartbeat_ns = 100000000,
                                                .silence_ns = 30000000000};
    if (fault == UNSOUND || fault == DEVICE)
        config.campaign.prove_ns = INT64_C(3600000000000);
    if (fault == SILENT)
        config.campaign.silence_ns = 6000000000;
    memset(m, 0, sizeof(*m));
    judge.fault = fault;
    judge.done = false;
    judge.n_gangs = judge.n_alone = judge.n_failed = judge.n_across = 0;
    judge.n_proved = 0;
    judge.n_stop = fault == STOPS || fault == STOPS_ALL;
    judge.n_stop_all = 0;
    config.n_stop = &judge.n_stop_all;
    for (int r = 1; r <= n_workers; r++)
        assert_int_equal(
            pthread_create(&threads[r], NULL, worker_main, &hub->ends[r].base),
            0);
    assert_int_equal(osw_coordinator_run(&plan, &hub->ends[0].base, &config,
                                         &memory_ops, m, out, &err),
                     0);
    if (!out->lost)
        osw_broadcast_end(&hub->ends[0].base);
    for (int r = 1; r <= n_workers; r++)
        pthread_join(threads[r], NULL);
    free(hub);
}

static void all_pass(const struct memory *m, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(m->state[i], OSW_STATE_PASS);
}

static void members_hear_what_all_of_them_say(void **state)
{
    const uint32_t n[] = {6, 5, 4, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(3, 3, n, NONE, &m, &out);
    all_pass(&m, 30);
    assert_int_equal(judge.n_gangs, 9);
    assert_int_equal(judge.n_alone, 6);
    assert_int_equal(judge.n_failed, 0);
    assert_int_equal(out.n_judged, 30); /* those of first members alone */
    assert_int_equal(out.n_stale, 0);
    assert_int_equal(m.n_retries, 0);
    for (uint32_t i = 0; i < 30; i++)
        assert_int_equal(m.n_begun[i], 1);
    for (uint32_t i = 0; i < judge.n_gangs; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_true(judge.ids[i] != judge.ids[k]);
}

/* The attempt fails for all, the others hear of it, and another one passes. */
static void a_member_that_fails_fails_its_gang_once(void **state)
{
    static const enum fault faults[] = {LEAVES, ENDS_EARLY, OTHER_SIZE,
                                        TOO_LATE};

    (void)state;
    for (size_t i = 0; i < N_ELEM(faults); i++) {
        const uint32_t n[] = {3, 1, 0, 0};
        struct osw_outcome out;
        struct memory m;

        print_message("  case: %d\n", (int)faults[i]);
        run(4, 4, n, faults[i], &m, &out);
        all_pass(&m, 8);
        assert_true(judge.done);
        assert_true(judge.n_failed >= 1);
        assert_non_null(strstr(judge.why, faults[i] == TOO_LATE
                                              ? "exchange 2"
                                              : "a member is lost: "));
        assert_int_equal(m.n_retries, 1);
        assert_int_equal(judge.n_alone, 3);
        assert_int_equal(out.n_lost, faults[i] == LEAVES);
        for (uint32_t k = 0; k < 6; k++) /* no other cell is lost */
            assert_int_equal(m.attempt[k], 1);
    }
}

/* Nothing else is to be done but the others wait: for a third of the usual
 * time.
 */
static void a_silent_member_is_given_up_early(void **state)
{
    const uint32_t n[] = {0, 1, 0, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(2, 2, n, SILENT, &m, &out);
    all_pass(&m, 2);
    assert_int_equal(m.n_retries, 1);
    assert_int_equal(m.attempt[0], 2);
    assert_non_null(strstr(judge.why, "a member is lost: "));
    assert_true(judge.silent_ns > 1500000000);
    assert_true(judge.silent_ns < 5000000000);
}

static void a_world_too_large_is_skipped_with_the_reason(void **state)
{
    const uint32_t n[] = {2, 1, 2, 1};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(4, 4, n, NONE, &m, &out);
    all_pass(&m, 10);
    for (int i = 10; i < 12; i++)
        assert_int_equal(m.state[i], OSW_STATE_SKIPPED);
    assert_string_equal(m.reason[11],
                        "world of 8 needs 8 workers, there are 4");
    assert_int_equal(out.n_open, 0);
    run(1, 1, n, NONE, &m, &out);
    assert_string_equal(m.reason[5], "world of 2 needs 2 workers, there is 1");
    assert_int_equal(m.state[3], OSW_STATE_PASS);
}

/* --resume with as many workers finishes them. */
static void a_world_that_lost_a_worker_is_lost_and_not_skipped(void **state)
{
    const uint32_t n[] = {1, 2, 1, 1};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(3, 3, n, LEAVES, &m, &out);
    assert_int_equal(out.n_lost, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(m.state[i], i < 6   ? OSW_STATE_PASS
                                     : i < 8 ? OSW_STATE_LOST
                                             : OSW_STATE_SKIPPED);
    assert_string_equal(m.reason[6], "world of 3 needs 3 workers, there are 2 "
                                     "since others were lost or left out");
    assert_int_equal(osw_outcome_exit_code(&out, 0), 4);
}

/* Two workers on each node: those of a world of 2 stay on one. */
static void a_world_larger_than_a_node_has_members_on_several(void **state)
{
    const uint32_t n[] = {2, 3, 2, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(4, 2, n, NONE, &m, &out);
    all_pass(&m, 14);
    assert_int_equal(judge.n_gangs, 5);
    assert_int_equal(judge.n_across, 2 * 3);
}

/* It leaves after a second, and the others try again without it. */
static void a_member_that_was_asked_to_stop_leaves_its_gang(void **state)
{
    const uint32_t n[] = {0, 1, 0, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(3, 3, n, STOPS, &m, &out);
    all_pass(&m, 2);
    assert_int_equal(out.n_lost, judge.n_failed > 0);
}

/* All are asked to stop: what it did not begin is not waited for. */
static void a_member_that_drops_its_bundle_at_a_stop_says_so(void **state)
{
    const uint32_t n[] = {0, 1, 0, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(2, 2, n, STOPS_ALL, &m, &out);
    assert_true(out.stopped);
    assert_int_equal(out.n_open, 2);
    assert_int_equal(judge.n_failed, 1);
    assert_non_null(strstr(judge.why, "rank 1: was asked to stop"));
}

static void a_world_is_not_too_large_while_workers_may_come(void **state)
{
    const uint32_t n[] = {4, 0, 2, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(3, 3, n, COMES_LATE, &m, &out);
    all_pass(&m, 12);
    assert_int_equal(judge.n_gangs, 2);
}

/* Its results are those that it had a part in, though another member gave them.
 */
static void what_an_unsound_member_took_part_in_is_suspect(void **state)
{
    const uint32_t n[] = {0, 1, 0, 0};
    struct osw_outcome out;
    struct memory m;

    (void)state;
    run(2, 2, n, UNSOUND, &m, &out);
    all_pass(&m, 2);
    assert_int_equal(out.n_unsound, 1);
    assert_int_equal(out.n_suspect, 2);
    assert_true(m.suspect[0] && m.suspect[1]);
}

/* All members look at their devices, and none is missing afterwards. */
static void a_device_that_fails_once_costs_no_world_its_workers(void **state)
{
    static const uint32_t rows[][N_ELEM(ops)] = {{0, 3, 0, 0}, {1, 2, 0, 0}};

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_outcome out;
        struct memory m;

        run(2, 2, rows[i], DEVICE, &m, &out);
        all_pass(&m, 6);
        assert_int_equal(m.attempt[0], 2);
        assert_int_equal(out.n_lost + out.n_unsound, 0);
        assert_true(judge.n_proved >= (rows[i][0] ? 1 : 2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_hear_what_all_of_them_say),
        cmocka_unit_test(a_member_that_fails_fails_its_gang_once),
        cmocka_unit_test(a_silent_member_is_given_up_early),
        cmocka_unit_test(a_world_too_large_is_skipped_with_the_reason),
        cmocka_unit_test(a_world_that_lost_a_worker_is_lost_and_not_skipped),
        cmocka_unit_test(a_world_larger_than_a_node_has_members_on_several),
        cmocka_unit_test(a_member_that_was_asked_to_stop_leaves_its_gang),
        cmocka_unit_test(a_member_that_drops_its_bundle_at_a_stop_says_so),
        cmocka_unit_test(a_world_is_not_too_large_while_workers_may_come),
        cmocka_unit_test(what_an_unsound_member_took_part_in_is_suspect),
        cmocka_unit_test(a_device_that_fails_once_costs_no_world_its_workers),
    };

    osw_log_set(OSW_LOG_ERROR, "test");
    return cmocka_run_group_tests_name("mpi_runner/gang", tests, NULL, NULL);
}
