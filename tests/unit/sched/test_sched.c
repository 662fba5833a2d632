/* test_sched.c - which worker does which bundle next */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_runner/sched/sched.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_sched_config one_at_a_time = {
    .n_workers = 3, .max_attempts = 2, .max_ahead = 1, .ahead_ns = 0};

static osw_sched_t *make(const struct osw_sched_item *items, size_t n,
                         struct osw_sched_config c, uint32_t n_ready)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_sched_t *s = osw_sched_create(items, n, &c, &err);

    assert_non_null(s);
    for (uint32_t w = 0; w < n_ready; w++)
        osw_sched_worker_ready(s, w, 0);
    return s;
}

static struct osw_sched_task next(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_task t = {UINT32_MAX, 0};

    assert_true(osw_sched_next(s, w, &t));
    return t;
}

static void nothing_for(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_task t;

    assert_false(osw_sched_next(s, w, &t));
}

/* All cells of a task pass, and it ends. */
static void complete(osw_sched_t *s, uint32_t w, struct osw_sched_task t,
                     uint32_t n_cells)
{
    for (uint32_t k = 0; k < n_cells; k++)
        assert_int_equal(osw_sched_result(s, w, t, k, false), OSW_SCHED_FRESH);
    osw_sched_finished(s, w, t);
}

/* --- order --- */

/* Per row: which workers ask in turn, and what each must get.  A worker
 * finishes what it has before it asks again.
 */
static const struct {
    const char *what;
    struct osw_sched_item items[6];
    size_t n;
    uint32_t n_workers;
    uint32_t asks[6], gets[6];
} orders[] = {
    /* clang-format off */
    { "largest first within an op",
      { {7, 1, 10}, {7, 1, 30}, {7, 1, 20} }, 3, 1,
      { 0, 0, 0 }, { 1, 2, 0 } },
    { "the smallest case first, on each worker, then the largest bundle",
      { {7, 1, 10, 0, 8}, {7, 1, 20, 0, 4}, {7, 1, 30, 0, 9}, {7, 1, 40, 0, 6},
        {7, 1, 50, 0, 7} }, 5, 2,
      { 0, 0, 1, 1, 0 }, { 1, 4, 3, 2, 0 } },
    { "but not where each worker gets one",
      { {7, 1, 10, 0, 4}, {7, 1, 12, 0, 8} }, 2, 2,
      { 0, 1 }, { 1, 0 } },
    { "but what would delay the end comes at once",
      { {7, 1, 10, 0, 4}, {7, 1, 90, 0, 8} }, 2, 2,
      { 0, 1 }, { 1, 0 } },
    { "equal costs keep the plan's order",
      { {7, 1, 10}, {7, 1, 10}, {7, 1, 10} }, 3, 1,
      { 0, 0, 0 }, { 0, 1, 2 } },
    { "a worker stays on its op while it lasts",
      { {1, 1, 20}, {2, 1, 19}, {1, 1, 18}, {2, 1, 17}, {1, 1, 16} }, 5, 1,
      { 0, 0, 0, 0, 0 }, { 0, 2, 4, 1, 3 } },
    { "two workers start on two ops",
      { {1, 1, 20}, {1, 1, 20}, {1, 1, 20}, {2, 1, 25}, {2, 1, 25} }, 5, 2,
      { 0, 1, 0, 1, 0 }, { 0, 3, 1, 4, 2 } },
    { "idle workers help on an op that others are on",
      { {1, 1, 20}, {1, 1, 20}, {1, 1, 20} }, 3, 2,
      { 0, 1, 0 }, { 0, 1, 2 } },
    { "an op without a worker comes before help on a larger one",
      { {1, 1, 20}, {1, 1, 20}, {1, 1, 20}, {1, 1, 20}, {2, 1, 5} }, 5, 2,
      { 0, 1, 1, 0, 1 }, { 0, 4, 1, 2, 3 } },
    { "what is longer than a fair share starts first",
      { {1, 1, 20}, {1, 1, 20}, {1, 1, 20}, {2, 1, 70} }, 4, 2,
      { 0, 1, 1, 1 }, { 3, 0, 1, 2 } },
    /* clang-format on */
};

static void bundles_are_handed_out_in_the_stated_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(orders); i++) {
        struct osw_sched_task hand[3] = {{0, 0}};
        osw_sched_t *s = make(orders[i].items, orders[i].n, one_at_a_time,
                              orders[i].n_workers);

        print_message("  case: %s\n", orders[i].what);
        for (size_t k = 0; k < orders[i].n; k++) {
            uint32_t w = orders[i].asks[k];

            if (hand[w].attempt)
                complete(s, w, hand[w], 1);
            hand[w] = next(s, w);
            assert_int_equal(hand[w].bundle, orders[i].gets[k]);
        }
        osw_sched_destroy(s);
    }
}

static void a_busy_worker_gets_bundles_ahead_up_to_number_and_cost(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10},
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}};
    struct osw_sched_config c = {1, 2, 3, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 1);
    struct osw_sched_task first;

    (void)state;
    first = next(s, 0);
    for (int i = 1; i < 3; i++)
        next(s, 0);
    nothing_for(s, 0); /* three is the limit in number */
    assert_int_equal(osw_sched_n_flying(s, 0), 3);
    assert_int_equal(osw_sched_current(s, 0), first.bundle);
    osw_sched_destroy(s);

    c.ahead_ns = 15;
    s = make(items, N_ELEM(items), c, 1);
    next(s, 0);
    next(s, 0);
    nothing_for(s, 0); /* 20 ns in hand are enough */
    osw_sched_destroy(s);
}

static void near_the_end_nothing_waits_for_a_busy_worker(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}};
    struct osw_sched_config c = {2, 2, 8, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 2);

    (void)state;
    next(s, 0);        /* two workers, 20 ns left: 10 each */
    nothing_for(s, 0); /* and has that */
    next(s, 1);
    osw_sched_destroy(s);
}

/* --- loss --- */

/* First what the worker had not begun, after all else what it was at. */
static void lost_bundles_return_with_a_new_attempt(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 2, 40}, {1, 1, 30}, {1, 1, 30}, {1, 1, 30}};
    struct osw_sched_config c = {2, 2, 2, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 2);
    struct osw_sched_task a = next(s, 0), b = next(s, 0), again;

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, a, 0, false), OSW_SCHED_FRESH);
    osw_sched_worker_lost(s, 0);
    assert_int_equal(osw_sched_n_live(s), 1);
    nothing_for(s, 0);
    for (int i = 0; i < 3; i++) {
        again = next(s, 1);
        assert_int_equal(again.bundle == b.bundle, i == 0);
        assert_int_equal(again.attempt, i == 0 ? 2 : 1);
        complete(s, 1, again, 1);
    }
    again = next(s, 1);
    assert_int_equal(again.bundle, a.bundle);
    assert_int_equal(again.attempt, 2);
    assert_false(osw_sched_is_open(s, again.bundle, 0));
    assert_true(osw_sched_is_open(s, again.bundle, 1));
    /* The old attempt's result comes after all. */
    assert_int_equal(osw_sched_result(s, 0, a, 1, false), OSW_SCHED_STALE);
    assert_int_equal(osw_sched_result(s, 1, a, 1, false), OSW_SCHED_STALE);
    assert_int_equal(osw_sched_result(s, 1, again, 0, false),
                     OSW_SCHED_DUPLICATE);
    assert_int_equal(osw_sched_result(s, 1, again, 1, false), OSW_SCHED_FRESH);
    osw_sched_finished(s, 1, again);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

static void only_the_bundle_at_work_counts_as_failed(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 40}, {1, 1, 40}, {1, 1, 30}, {1, 1, 30},
        {1, 1, 30}, {1, 1, 30}, {1, 1, 30}};
    struct osw_sched_config c = {3, 1, 2, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 3);
    struct osw_sched_task a = next(s, 0), b = next(s, 1), d = next(s, 0);
    uint32_t gone;

    (void)state;
    assert_int_equal(a.bundle, 0);
    assert_int_equal(b.bundle, 1);
    osw_sched_worker_lost(s, 0);
    assert_true(osw_sched_given_up(s, &gone));
    assert_int_equal(gone, a.bundle);
    osw_sched_settle(s, gone, 0);
    assert_false(osw_sched_given_up(s, &gone));
    assert_int_equal(next(s, 2).bundle, d.bundle);
    osw_sched_destroy(s);
}

/* Bundles that are judged together are done together, but have their results
 * one by one.
 */
static void what_has_its_results_did_not_fail(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 40}, {1, 2, 39}, {1, 1, 38}, {1, 1, 30}, {1, 1, 30}, {1, 1, 30}};
    struct osw_sched_config c = {
        .n_workers = 2, .max_attempts = 1, .max_ahead = 3, .ahead_ns = 1000};
    uint32_t gone = 9;

    (void)state;
    for (int killed = 0; killed < 2; killed++) {
        osw_sched_t *s = make(items, N_ELEM(items), c, 1);
        struct osw_sched_task a = next(s, 0), b = next(s, 0);

        next(s, 0);
        assert_int_equal(osw_sched_result(s, 0, a, 0, false), OSW_SCHED_FRESH);
        assert_int_equal(osw_sched_result(s, 0, b, 1, false), OSW_SCHED_FRESH);
        if (killed) /* without a pardon */
            osw_sched_worker_killed(s, 0);
        else
            osw_sched_worker_lost(s, 0);
        assert_true(osw_sched_given_up(s, &gone));
        assert_int_equal(gone, b.bundle);
        osw_sched_settle(s, gone, 0);
        assert_false(osw_sched_given_up(s, &gone));
        osw_sched_worker_ready(s, 1, 0);
        assert_int_equal(next(s, 1).bundle, 2);
        osw_sched_destroy(s);
    }
}

/* At the first time with all its cells, then one by one: each of them has a
 * second try.
 */
static void a_bundle_that_keeps_failing_is_given_up(void **state)
{
    static const struct osw_sched_item items[] = {{1, 3, 10}};
    osw_sched_t *s = make(items, 1, one_at_a_time, 3);
    uint32_t gone = 9;

    (void)state;
    next(s, 0);
    osw_sched_worker_lost(s, 0);
    for (uint32_t k = 0; k < 3; k++) {
        assert_false(osw_sched_given_up(s, &gone));
        next(s, 1);
        osw_sched_worker_lost(s, 1);
        osw_sched_worker_ready(s, 1, 0);
        assert_true(osw_sched_given_up(s, &gone));
        assert_int_equal(gone, 0);
        assert_int_equal(osw_sched_n_open(s), 3 - k);
        for (uint32_t other = 0; other < 3; other++)
            assert_int_equal(osw_sched_is_meant(s, 0, other), other == k);
        osw_sched_settle(s, gone, k);
    }
    nothing_for(s, 1);
    assert_int_equal(osw_sched_n_open(s), 0);
    assert_true(osw_sched_progress(s) == 1);
    osw_sched_destroy(s);
}

/* The second of four cells takes its worker down, whenever it is tried. */
static void a_cell_that_takes_workers_down_is_lost_alone(void **state)
{
    static const struct osw_sched_item items[] = {{1, 4, 10}};
    struct osw_sched_config c = one_at_a_time;
    osw_sched_t *s;
    uint32_t n_lost = 0, gone = 9;

    (void)state;
    c.max_attempts = 3;
    s = make(items, 1, c, 1);
    while (!osw_sched_given_up(s, &gone)) {
        struct osw_sched_task t = next(s, 0);

        if (osw_sched_is_meant(s, 0, 1)) {
            osw_sched_worker_lost(s, 0);
            osw_sched_worker_ready(s, 0, 0);
            n_lost++;
            continue;
        }
        for (uint32_t k = 0; k < 4; k++)
            if (osw_sched_is_meant(s, 0, k))
                assert_int_equal(osw_sched_result(s, 0, t, k, false),
                                 OSW_SCHED_FRESH);
        osw_sched_finished(s, 0, t);
    }
    assert_int_equal(n_lost, 3);
    assert_int_equal(osw_sched_n_open(s), 1);
    assert_true(osw_sched_is_meant(s, 0, 1));
    osw_sched_settle(s, 0, 1);
    nothing_for(s, 0);
    osw_sched_destroy(s);
}

/* It would be the last to end; a worker that has something gets nothing more
 * until it can have that.
 */
static void what_a_worker_was_lost_at_does_not_delay_the_end(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 2, 100}, {2, 1, 20}, {2, 1, 20}, {2, 1, 20}};
    struct osw_sched_config c = {
        .n_workers = 3, .max_attempts = 2, .max_ahead = 2, .ahead_ns = 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 3);
    struct osw_sched_task t;

    (void)state;
    assert_int_equal(next(s, 0).bundle, 0);
    t = next(s, 1);
    osw_sched_worker_lost(s, 0);
    nothing_for(s, 1);
    complete(s, 1, t, 1);
    t = next(s, 1);
    assert_int_equal(t.bundle, 0);
    assert_false(osw_sched_is_meant(s, 0, 1));
    assert_int_equal(next(s, 2).bundle, 2);
    osw_sched_destroy(s);
}

/* Two kills from outside are pardoned, then two at one cell are too many. */
static void a_kill_from_outside_is_no_failure_so_many_times(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 90}, {1, 1, 10}};
    struct osw_sched_config c = {3, 2, 1, 0, .max_pardons = 2};
    osw_sched_t *s = make(items, 2, c, 1);
    struct osw_sched_task t;
    uint32_t gone = 9;

    (void)state;
    assert_int_equal(next(s, 0).bundle, 0);
    osw_sched_worker_killed(s, 0);
    osw_sched_worker_ready(s, 0, 0);
    t = next(s, 0); /* the first time it is tried again at once */
    assert_int_equal(t.bundle, 0);
    assert_int_equal(t.attempt, 2);
    assert_true(osw_sched_is_meant(s, 0, 1));
    osw_sched_worker_killed(s, 0);
    osw_sched_worker_ready(s, 0, 0);
    t = next(s, 0); /* then after the others, cell by cell */
    assert_int_equal(t.bundle, 1);
    complete(s, 0, t, 1);
    for (int i = 0; i < 3; i++) {
        assert_false(osw_sched_given_up(s, &gone));
        t = next(s, 0);
        assert_int_equal(t.bundle, 0);
        assert_int_equal(
            osw_sched_is_meant(s, 0, 0) + osw_sched_is_meant(s, 0, 1), 1);
        osw_sched_worker_killed(s, 0);
        osw_sched_worker_ready(s, 0, 0);
    }
    assert_true(osw_sched_given_up(s, &gone));
    assert_int_equal(gone, 0);
    assert_true(osw_sched_is_meant(s, 0, 0));
    osw_sched_settle(s, 0, 0);
    next(s, 0);
    assert_true(osw_sched_is_meant(s, 0, 1));
    osw_sched_destroy(s);
}

/* What waited for the killed worker has neither failed nor been pardoned. */
static void a_kill_concerns_only_the_bundle_at_work(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 40}, {1, 1, 30}};
    struct osw_sched_config c = {1, 1, 2, 1000, .max_pardons = 1};
    osw_sched_t *s = make(items, 2, c, 1);
    uint32_t gone = 9;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        while (osw_sched_n_flying(s, 0) < 2 &&
               osw_sched_next(s, 0, &(struct osw_sched_task){0, 0}))
            ;
        assert_int_equal(osw_sched_current(s, 0), 0);
        osw_sched_worker_killed(s, 0);
        osw_sched_worker_ready(s, 0, 0);
        assert_int_equal(osw_sched_given_up(s, &gone), i == 1);
    }
    assert_int_equal(gone, 0);
    assert_int_equal(next(s, 0).bundle, 1);
    osw_sched_destroy(s);
}

static void cells_missing_at_the_end_of_a_task_are_tried_again(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 10}};
    osw_sched_t *s = make(items, 1, one_at_a_time, 1);
    struct osw_sched_task t = next(s, 0);

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, t, 1, false), OSW_SCHED_FRESH);
    osw_sched_finished(s, 0, t);
    t = next(s, 0);
    assert_int_equal(t.attempt, 2);
    assert_int_equal(osw_sched_result(s, 0, t, 0, false), OSW_SCHED_FRESH);
    osw_sched_destroy(s);
}

static void a_device_failure_is_retried_on_another_worker(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10}, {1, 1, 10}};
    osw_sched_t *s = make(items, 2, one_at_a_time, 2);
    struct osw_sched_task t = next(s, 0), u;

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, t, 0, true), OSW_SCHED_RETRY);
    osw_sched_finished(s, 0, t);
    nothing_for(s, 0); /* suspect, and there is another */
    u = next(s, 1);
    assert_int_equal(u.bundle, t.bundle);
    /* It fails there too: that was the last attempt, so it stands. */
    assert_int_equal(osw_sched_result(s, 1, u, 0, true), OSW_SCHED_FRESH);
    osw_sched_finished(s, 1, u);
    next(s, 0); /* no worker is trusted: any serves */
    osw_sched_destroy(s);
}

/* ... but what it failed at is another one's. */
static void a_worker_whose_device_is_sound_is_trusted_again(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}};
    osw_sched_t *s = make(items, 3, one_at_a_time, 2);
    struct osw_sched_task t = next(s, 0), u;

    (void)state;
    assert_false(osw_sched_worker_sound(s, 0)); /* it was all the time */
    assert_int_equal(osw_sched_result(s, 0, t, 0, true), OSW_SCHED_RETRY);
    osw_sched_finished(s, 0, t);
    nothing_for(s, 0);
    assert_true(osw_sched_has_doubted(s));
    assert_true(osw_sched_worker_sound(s, 0));
    assert_false(osw_sched_worker_sound(s, 0));
    assert_false(osw_sched_has_doubted(s));
    u = next(s, 0);
    assert_int_not_equal(u.bundle, t.bundle);
    complete(s, 0, u, 1);
    assert_int_equal(next(s, 1).bundle, t.bundle);
    osw_sched_worker_lost(s, 1);
    assert_false(osw_sched_worker_sound(s, 1));
    assert_false(osw_sched_has_doubted(s));
    osw_sched_destroy(s);
}

static void what_a_busy_worker_gives_back_goes_to_the_idle_one(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}};
    struct osw_sched_config c = {2, 1, 8, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 1);
    struct osw_sched_task hand[4], t;

    (void)state;
    for (int i = 0; i < 3; i++)
        hand[i] = next(s, 0);
    nothing_for(s, 0); /* 30 ns in hand, 20 left */
    osw_sched_worker_ready(s, 1, 0);
    complete(s, 1, next(s, 1), 1);
    complete(s, 1, next(s, 1), 1);
    nothing_for(s, 1);
    assert_true(osw_sched_is_uneven(s));
    assert_int_equal(osw_sched_n_to_return(s, 0), 1);
    assert_int_equal(osw_sched_n_to_return(s, 1), 0);
    osw_sched_worker_lost(s, 1);
    assert_false(osw_sched_is_uneven(s)); /* no worker is idle */
    osw_sched_worker_ready(s, 1, 0);
    assert_true(osw_sched_is_uneven(s));
    assert_false(osw_sched_has_queued(s));
    osw_sched_returned(s, 0, hand[2]);
    assert_true(osw_sched_has_queued(s));
    nothing_for(s, 0); /* not to the one without time */
    t = next(s, 1);
    assert_int_equal(t.bundle, hand[2].bundle);
    assert_int_equal(t.attempt, 2);
    assert_false(osw_sched_is_uneven(s));
    /* No attempt was lost by it: it may fail once and is given up then. */
    assert_int_equal(osw_sched_result(s, 0, hand[2], 0, false),
                     OSW_SCHED_STALE);
    complete(s, 1, t, 1);
    complete(s, 0, hand[0], 1);
    complete(s, 0, hand[1], 1);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

static void a_worker_is_awaited_when_others_have_nothing_to_do(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10}, {1, 1, 10}};
    struct osw_sched_config c = {3, 3, 1, 10};
    osw_sched_t *s = make(items, N_ELEM(items), c, 2);
    struct osw_sched_task t, u;

    (void)state;
    t = next(s, 0);
    assert_false(osw_sched_is_awaited(s, 0)); /* a bundle is queued */
    u = next(s, 1);
    assert_false(osw_sched_is_awaited(s, 0)); /* no worker is idle */
    complete(s, 1, u, 1);
    assert_true(osw_sched_is_awaited(s, 0));
    assert_false(osw_sched_is_awaited(s, 1)); /* it has nothing */
    osw_sched_worker_lost(s, 0);
    t = next(s, 1);
    osw_sched_worker_ready(s, 2, 0);
    assert_int_equal(t.attempt, 2);
    assert_false(osw_sched_is_awaited(s, 1)); /* not its first try */
    complete(s, 1, t, 1);
    osw_sched_destroy(s);
}

static void who_gave_back_gets_work_again_once_it_finished_one(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 10}, {1, 1, 10}, {1, 1, 10}};
    struct osw_sched_config c = {1, 1, 8, 1000};
    osw_sched_t *s = make(items, N_ELEM(items), c, 1);
    struct osw_sched_task a = next(s, 0), b = next(s, 0);

    (void)state;
    osw_sched_returned(s, 0, b);
    nothing_for(s, 0);
    complete(s, 0, a, 1);
    assert_int_equal(next(s, 0).bundle, b.bundle);
    osw_sched_destroy(s);
}

static void tasks_from_nowhere_are_stale(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10}};
    osw_sched_t *s = make(items, 1, one_at_a_time, 2);
    struct osw_sched_task t = next(s, 0);
    /* clang-format off */
    const struct {
        uint32_t worker;
        struct osw_sched_task task;
        uint32_t k;
    } rows[] = {
        { 1, t, 0 },
        { 0, { t.bundle, 2 }, 0 },
        { 0, { t.bundle, 0 }, 0 },
        { 0, { 1, 1 }, 0 },
        { 0, { UINT32_MAX, 1 }, 0 },
        { 0, t, 1 },
        { 77, t, 0 },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_int_equal(
            osw_sched_result(s, rows[i].worker, rows[i].task, rows[i].k, false),
            OSW_SCHED_STALE);
    assert_int_equal(osw_sched_n_open(s), 1);
    osw_sched_destroy(s);
}

static void cells_settled_before_the_start_are_not_handed_out(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 50}, {2, 1, 10}};
    osw_sched_t *s = make(items, 2, one_at_a_time, 1);
    struct osw_sched_task t;

    (void)state;
    osw_sched_settle(s, 0, 0);
    t = next(s, 0);
    assert_int_equal(t.bundle, 1);
    complete(s, 0, t, 1);
    nothing_for(s, 0);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

/* Bundles 1, 3 and 4 are under suspicion, 4 and 5 go alone; worker 0 may have
 * three at a time, but not with one of those.
 */
static void suspicious_bundles_come_last_and_alone(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10}, {1, 1, 50}, {1, 1, 20}, {2, 1, 90}, {2, 1, 80}, {2, 1, 70}};
    static const struct osw_sched_config config = {
        .n_workers = 2, .max_attempts = 3, .max_ahead = 3, .ahead_ns = 1000};
    struct osw_error err = OSW_ERROR_INIT;
    osw_sched_t *s = osw_sched_create(items, N_ELEM(items), &config, &err);
    struct osw_sched_task a, b, c;

    (void)state;
    assert_non_null(s);
    osw_sched_suspect(s, 1, false);
    osw_sched_suspect(s, 3, false);
    osw_sched_suspect(s, 4, true);
    osw_sched_suspect(s, 5, true);
    osw_sched_worker_ready(s, 0, 0);
    a = next(s, 0);
    b = next(s, 0);
    assert_int_equal(a.bundle, 2);
    assert_int_equal(b.bundle, 0);
    nothing_for(s, 0); /* not beside others */
    complete(s, 0, a, 1);
    nothing_for(s, 0);
    complete(s, 0, b, 1);
    c = next(s, 0);
    assert_true(c.bundle == 1 || c.bundle == 3);
    nothing_for(s, 0); /* nothing beside it */
    osw_sched_worker_ready(s, 1, 0);
    a = next(s, 1); /* but elsewhere */
    assert_int_equal(a.bundle, c.bundle == 3 ? 1 : 3);
    nothing_for(s, 1);
    complete(s, 1, a, 1);
    nothing_for(s, 1); /* 4 and 5 wait until the other worker has nothing */
    osw_sched_worker_lost(s, 0);
    b = next(s, 1);
    assert_int_equal(b.bundle, c.bundle);
    assert_int_equal(b.attempt, 2);
    complete(s, 1, b, 1);
    osw_sched_worker_ready(s, 0, 0);
    a = next(s, 1);
    assert_true(a.bundle == 4 || a.bundle == 5);
    nothing_for(s, 0); /* nothing anywhere beside it */
    osw_sched_worker_lost(s, 1);
    b = next(s, 0);
    assert_int_equal(b.bundle, a.bundle == 4 ? 5 : 4);
    complete(s, 0, b, 1);
    b = next(s, 0);
    assert_int_equal(b.bundle, a.bundle);
    complete(s, 0, b, 1);
    nothing_for(s, 0);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

/* Cell 1 fails in every try; the other cells of its batch do not. */
static void a_suspicious_bundle_is_handed_out_cell_by_cell(void **state)
{
    static const struct osw_sched_item items[] = {{1, 3, 10}};
    osw_sched_t *s = make(items, 1, one_at_a_time, 1);
    const uint32_t order[] = {0, 1, 2, 1};

    (void)state;
    osw_sched_suspect(s, 0, true);
    for (uint32_t i = 0; i < N_ELEM(order); i++) {
        struct osw_sched_task t = next(s, 0);

        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(osw_sched_is_meant(s, 0, k), k == order[i]);
        if (order[i] != 1)
            assert_int_equal(osw_sched_result(s, 0, t, order[i], false),
                             OSW_SCHED_FRESH);
        osw_sched_finished(s, 0, t);
    }
    nothing_for(s, 0); /* given up: two attempts failed */
    assert_int_equal(osw_sched_n_open(s), 1);
    assert_true(osw_sched_is_open(s, 0, 1));
    osw_sched_destroy(s);
}

static void progress_is_the_settled_share_of_cost(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 60}, {1, 2, 40}};
    osw_sched_t *s = make(items, 2, one_at_a_time, 1);

    (void)state;
    assert_true(osw_sched_progress(s) == 0);
    complete(s, 0, next(s, 0), 1);
    assert_true(osw_sched_progress(s) == 0.6);
    osw_sched_settle(s, 1, 1);
    assert_true(osw_sched_progress(s) == 0.8);
    osw_sched_destroy(s);
}

static void bad_input_is_named(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 1}, {1, 0, 1}};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_sched_create(items, 2, &one_at_a_time, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "bundle 1 has no cells");
}

static void every_allocation_failure_is_reported(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 60}, {2, 2, 40}};
    int n = 0;

    (void)state;
    for (bool struck = true; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_sched_t *s;

        chaos_arm(n);
        s = osw_sched_create(items, 2, &one_at_a_time, &err);
        struck = chaos_struck();
        assert_int_equal(s == NULL, struck);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_sched_destroy(s);
    }
    assert_true(n > 10);
}

/* --- second copies --- */

static const struct osw_sched_config with_twins = {.n_workers = 3,
                                                   .max_attempts = 2,
                                                   .max_ahead = 1,
                                                   .late_times = 3,
                                                   .late_ns = 50,
                                                   .max_pardons = 1};

/* Bundle 0 is at worker 0, and worker 1 has nothing to do. */
static osw_sched_t *make_late(struct osw_sched_config c,
                              struct osw_sched_task *own)
{
    static const struct osw_sched_item items[] = {{1, 2, 20}, {1, 1, 10}};
    osw_sched_t *s = make(items, 2, c, 2);

    *own = next(s, 0);
    assert_int_equal(own->bundle, 0);
    complete(s, 1, next(s, 1), 1);
    return s;
}

static void only_what_takes_long_at_the_end_gets_a_second_copy(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 20}, {1, 1, 10}};
    struct osw_sched_config never = with_twins;
    osw_sched_t *s = make(items, 2, with_twins, 2);
    struct osw_sched_task own = next(s, 0), other;

    (void)state;
    assert_false(osw_sched_is_late(s, 0, 1000)); /* a bundle is queued */
    other = next(s, 1);
    assert_false(osw_sched_is_late(s, 0, 1000)); /* no worker is idle */
    complete(s, 1, other, 1);
    assert_true(osw_sched_is_idle(s, 1));
    assert_false(osw_sched_is_idle(s, 0));
    assert_false(osw_sched_is_late(s, 1, 1000)); /* it has nothing */
    assert_false(osw_sched_is_late(s, 0, 60));   /* three times 20 */
    assert_true(osw_sched_is_late(s, 0, 61));
    complete(s, 0, own, 2);
    assert_false(osw_sched_is_late(s, 0, 1000)); /* it has nothing any more */
    osw_sched_destroy(s);

    never.late_times = 0;
    s = make_late(never, &own);
    assert_false(osw_sched_is_late(s, 0, INT64_MAX));
    osw_sched_destroy(s);
    never = with_twins;
    never.late_ns = 1000;
    s = make_late(never, &own);
    assert_false(osw_sched_is_late(s, 0, 1000)); /* predictions are rough */
    assert_true(osw_sched_is_late(s, 0, 1001));
    osw_sched_destroy(s);
}

/* A worker that is stopped gives nothing back. */
static void what_waits_after_a_late_bundle_gets_a_second_copy(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 30}, {1, 1, 30}, {1, 1, 30}, {1, 1, 30}, {1, 1, 30}, {1, 1, 30}};
    struct osw_sched_config ahead = with_twins;
    struct osw_sched_task own[3], copy;
    osw_sched_t *s;

    (void)state;
    ahead.max_ahead = 3;
    ahead.ahead_ns = 1000;
    s = make(items, 6, ahead, 1);
    for (int i = 0; i < 3; i++)
        own[i] = next(s, 0);
    osw_sched_worker_ready(s, 1, 0);
    for (int i = 0; i < 3; i++)
        complete(s, 1, next(s, 1), 1);
    assert_false(osw_sched_is_late(s, 0, 90)); /* the first is not late */
    for (int i = 0; i < 3; i++) {
        assert_true(osw_sched_is_late(s, 0, 91));
        copy = osw_sched_twin(s, 0, 1);
        assert_int_equal(copy.bundle, own[i].bundle);
        assert_false(osw_sched_is_overtaken(s, 0));
        complete(s, 1, copy, 1);
    }
    assert_false(osw_sched_is_late(s, 0, 91));
    assert_true(osw_sched_is_overtaken(s, 0));
    assert_int_equal(osw_sched_n_open(s), 0);
    assert_int_equal(osw_sched_result(s, 0, own[1], 0, false),
                     OSW_SCHED_OVERTAKEN);
    osw_sched_worker_lost(s, 0);
    assert_false(osw_sched_has_queued(s));
    osw_sched_destroy(s);
}

static void a_suspicious_bundle_gets_no_second_copy(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 20}};
    osw_sched_t *s = make(items, 1, with_twins, 2);

    (void)state;
    osw_sched_suspect(s, 0, false);
    next(s, 0);
    assert_false(osw_sched_is_late(s, 0, 1000));
    osw_sched_destroy(s);
}

static void the_first_result_of_two_copies_counts(void **state)
{
    struct osw_sched_task own, copy;
    osw_sched_t *s = make_late(with_twins, &own);

    (void)state;
    copy = osw_sched_twin(s, 0, 1);
    assert_int_equal(copy.bundle, own.bundle);
    assert_int_equal(copy.attempt, own.attempt + 1);
    assert_int_equal(osw_sched_n_out(s), 2);
    assert_int_equal(osw_sched_n_flying(s, 1), 1);
    assert_int_equal(osw_sched_current(s, 1), 0);
    assert_false(osw_sched_is_idle(s, 1));
    osw_sched_worker_ready(s, 2, 0);
    assert_false(osw_sched_is_late(s, 0, 1000)); /* one copy is enough */
    assert_false(osw_sched_is_late(s, 1, 1000));
    nothing_for(s, 1);
    /* Each only with its own attempt. */
    assert_int_equal(osw_sched_result(s, 1, own, 0, false), OSW_SCHED_STALE);
    assert_int_equal(osw_sched_result(s, 0, copy, 0, false), OSW_SCHED_STALE);
    assert_int_equal(osw_sched_result(s, 1, copy, 0, false), OSW_SCHED_FRESH);
    assert_int_equal(osw_sched_result(s, 0, own, 0, false),
                     OSW_SCHED_OVERTAKEN);
    assert_int_equal(osw_sched_result(s, 0, own, 1, false), OSW_SCHED_FRESH);
    assert_int_equal(osw_sched_n_open(s), 0);
    assert_true(osw_sched_is_overtaken(s, 0));
    assert_true(osw_sched_is_overtaken(s, 1));
    assert_false(osw_sched_is_overtaken(s, 2));
    assert_int_equal(osw_sched_result(s, 1, copy, 1, false),
                     OSW_SCHED_OVERTAKEN);
    osw_sched_finished(s, 1, copy);
    assert_int_equal(osw_sched_n_out(s), 1);
    assert_true(osw_sched_is_idle(s, 1));
    osw_sched_finished(s, 0, own);
    assert_int_equal(osw_sched_n_out(s), 0);
    assert_true(osw_sched_progress(s) == 1);
    osw_sched_destroy(s);
}

/* Of the two copies one is lost, or ends: the other goes on. */
static void the_copy_that_is_left_goes_on(void **state)
{
    enum { OWN_LOST, OWN_ENDS, COPY_LOST, COPY_ENDS, N_WAYS };

    (void)state;
    for (int way = 0; way < N_WAYS; way++) {
        struct osw_sched_task own, copy;
        osw_sched_t *s = make_late(with_twins, &own);
        bool own_goes = way == OWN_LOST || way == OWN_ENDS;
        uint32_t left = own_goes ? 1 : 0, gone = 9;

        copy = osw_sched_twin(s, 0, 1);
        assert_int_equal(osw_sched_result(s, 0, own, 0, false),
                         OSW_SCHED_FRESH);
        if (way == OWN_LOST || way == COPY_LOST)
            osw_sched_worker_lost(s, 1 - left);
        else
            osw_sched_finished(s, 1 - left, own_goes ? own : copy);
        assert_false(osw_sched_has_queued(s));
        assert_int_equal(osw_sched_n_out(s), 1);
        assert_int_equal(osw_sched_n_flying(s, left), 1);
        assert_int_equal(
            osw_sched_result(s, 1 - left, own_goes ? own : copy, 1, false),
            OSW_SCHED_STALE);
        assert_false(osw_sched_is_overtaken(s, left));
        complete(s, left, own_goes ? copy : own, 0);
        assert_int_equal(osw_sched_n_out(s), 0);
        assert_int_equal(osw_sched_n_open(s), 1);
        /* Both are gone, and the cell is open: that was the last attempt. */
        assert_int_equal(osw_sched_given_up(s, &gone), way != COPY_ENDS);
        osw_sched_destroy(s);
    }
}

/* A device that fails at one copy says nothing while the other is at work. */
static void a_device_failure_of_a_copy_never_stands(void **state)
{
    struct osw_sched_config once = with_twins;
    struct osw_sched_task own, copy;
    osw_sched_t *s;

    (void)state;
    once.max_attempts = 1;
    s = make_late(once, &own);
    copy = osw_sched_twin(s, 0, 1);
    assert_int_equal(osw_sched_result(s, 1, copy, 0, true), OSW_SCHED_RETRY);
    assert_int_equal(osw_sched_result(s, 0, own, 1, true), OSW_SCHED_RETRY);
    osw_sched_finished(s, 1, copy);
    assert_int_equal(osw_sched_result(s, 0, own, 0, false), OSW_SCHED_FRESH);
    assert_int_equal(osw_sched_result(s, 0, own, 1, true), OSW_SCHED_FRESH);
    osw_sched_destroy(s);
}

/* --- any history, against a model that only counts --- */

enum { N_BUNDLES = 400, N_WORKERS = 5, MAX_CELLS = 4, MAX_ATTEMPTS = 3 };

struct model {
    struct osw_sched_item items[N_BUNDLES];
    int settled[N_BUNDLES][MAX_CELLS];
    uint32_t attempt[N_BUNDLES]; /* latest handed out */
    uint32_t current[N_BUNDLES]; /* of these that of the holder */
    uint32_t holder[N_BUNDLES];  /* N_WORKERS: none */
    uint32_t twin[N_BUNDLES];    /* holder of the second copy; likewise */
    uint32_t twin_attempt[N_BUNDLES];
    bool had_twin[N_BUNDLES];
    bool live[N_WORKERS];
    struct osw_sched_task seen[N_WORKERS][64]; /* recent tasks, old ones too */
    uint32_t n_seen[N_WORKERS];
    uint64_t n_settled, n_cells;
};

static uint32_t roll(uint32_t n)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 33) % n;
}

static void settle_given_up(osw_sched_t *s, struct model *m)
{
    uint32_t b;

    while (osw_sched_given_up(s, &b)) {
        assert_int_equal(m->holder[b], N_WORKERS);
        for (uint32_t k = 0; k < m->items[b].n_cells; k++)
            if (osw_sched_is_meant(s, b, k)) {
                osw_sched_settle(s, b, k);
                assert_int_equal(m->settled[b][k]++, 0);
                m->n_settled++;
            }
    }
}

static void step_next(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t;

    if (!osw_sched_next(s, w, &t))
        return;
    assert_true(m->live[w]);
    assert_int_equal(m->holder[t.bundle], N_WORKERS); /* in one hand only */
    assert_int_equal(t.attempt, m->attempt[t.bundle] + 1);
    m->attempt[t.bundle] = m->current[t.bundle] = t.attempt;
    m->holder[t.bundle] = w;
    m->seen[w][m->n_seen[w]++ % 64] = t;
}

static void step_twin(osw_sched_t *s, struct model *m, uint32_t w)
{
    uint32_t idle = 0;
    struct osw_sched_task t;

    while (idle < N_WORKERS && !osw_sched_is_idle(s, idle))
        idle++;
    if (!osw_sched_is_late(s, w, 1000000))
        return;
    assert_int_not_equal(idle, N_WORKERS);
    t = osw_sched_twin(s, w, idle);
    assert_int_equal(m->holder[t.bundle], w);
    assert_false(m->had_twin[t.bundle]);
    assert_int_equal(t.attempt, m->attempt[t.bundle] + 1);
    m->had_twin[t.bundle] = true;
    m->twin[t.bundle] = idle;
    m->attempt[t.bundle] = m->twin_attempt[t.bundle] = t.attempt;
    m->seen[idle][m->n_seen[idle]++ % 64] = t;
}

static bool is_own(const struct model *m, uint32_t w, struct osw_sched_task t)
{
    return m->holder[t.bundle] == w && m->current[t.bundle] == t.attempt;
}

static bool is_copy(const struct model *m, uint32_t w, struct osw_sched_task t)
{
    return m->twin[t.bundle] == w && m->twin_attempt[t.bundle] == t.attempt;
}

/* The worker has the task no more. */
static void let_go(struct model *m, uint32_t w, struct osw_sched_task t)
{
    uint32_t b = t.bundle;

    if (is_own(m, w, t)) {
        m->holder[b] = m->twin[b];
        m->current[b] = m->twin_attempt[b];
        m->twin[b] = N_WORKERS;
    } else if (is_copy(m, w, t)) {
        m->twin[b] = N_WORKERS;
    }
}

static struct osw_sched_task some_task(const struct model *m, uint32_t w)
{
    uint32_t n = m->n_seen[w] < 64 ? m->n_seen[w] : 64;

    return n ? m->seen[w][roll(n)] : (struct osw_sched_task){0, 0};
}

static void step_result(osw_sched_t *s, struct model *m, uint32_t w, bool infra)
{
    struct osw_sched_task t = some_task(m, w);
    uint32_t k = roll(MAX_CELLS + 1);
    bool mine =
        (is_own(m, w, t) || is_copy(m, w, t)) && k < m->items[t.bundle].n_cells;

    switch (osw_sched_result(s, w, t, k, infra)) {
    case OSW_SCHED_FRESH:
        assert_true(mine);
        assert_int_equal(m->settled[t.bundle][k]++, 0);
        m->n_settled++;
        break;
    case OSW_SCHED_RETRY:
        assert_true(mine && infra);
        assert_int_equal(m->settled[t.bundle][k], 0);
        break;
    case OSW_SCHED_DUPLICATE:
    case OSW_SCHED_OVERTAKEN:
        assert_true(mine);
        assert_int_equal(m->settled[t.bundle][k], 1);
        break;
    case OSW_SCHED_STALE:
        assert_false(mine);
        break;
    }
}

static void step_finished(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t = some_task(m, w);

    osw_sched_finished(s, w, t);
    let_go(m, w, t);
}

static void step_returned(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t = some_task(m, w);

    osw_sched_returned(s, w, t);
    let_go(m, w, t);
}

static void step_lost(osw_sched_t *s, struct model *m, uint32_t w)
{
    if (roll(2))
        osw_sched_worker_lost(s, w);
    else
        osw_sched_worker_killed(s, w);
    m->live[w] = false;
    for (uint32_t b = 0; b < N_BUNDLES; b++) {
        let_go(m, w, (struct osw_sched_task){b, m->twin_attempt[b]});
        let_go(m, w, (struct osw_sched_task){b, m->current[b]});
    }
}

static void step(osw_sched_t *s, struct model *m)
{
    uint32_t w = roll(N_WORKERS), what = roll(1000);

    if (what < 290)
        step_next(s, m, w);
    else if (what < 300)
        step_twin(s, m, w);
    else if (what < 850)
        step_result(s, m, w, what < 303);
    else if (what < 980)
        step_finished(s, m, w);
    else if (what < 990)
        step_returned(s, m, w);
    else if (what < 993)
        step_lost(s, m, w);
    else {
        osw_sched_worker_ready(s, w, 0);
        m->live[w] = true;
    }
    settle_given_up(s, m);
    assert_int_equal(osw_sched_n_open(s), m->n_cells - m->n_settled);
}

/* After any failures one good worker finishes what is left. */
static void finish_alone(osw_sched_t *s, struct model *m)
{
    struct osw_sched_task t;

    for (uint32_t w = 0; w < N_WORKERS; w++)
        step_lost(s, m, w);
    settle_given_up(s, m);
    osw_sched_worker_ready(s, 0, 0);
    while (osw_sched_next(s, 0, &t)) {
        for (uint32_t k = 0; k < m->items[t.bundle].n_cells; k++)
            if (osw_sched_result(s, 0, t, k, false) == OSW_SCHED_FRESH)
                assert_int_equal(m->settled[t.bundle][k]++, 0);
        osw_sched_finished(s, 0, t);
    }
}

static void every_cell_is_settled_once_whatever_happens(void **state)
{
    struct osw_sched_config c = {N_WORKERS,   MAX_ATTEMPTS,     4,
                                 500,         .max_pardons = 3, .late_times = 1,
                                 .late_ns = 1};

    (void)state;
    for (int round = 0; round < 40; round++) {
        struct model *m = calloc(1, sizeof(*m));
        osw_sched_t *s;

        assert_non_null(m);
        for (uint32_t b = 0; b < N_BUNDLES; b++) {
            m->items[b] = (struct osw_sched_item){roll(12), 1 + roll(MAX_CELLS),
                                                  roll(1000)};
            m->holder[b] = m->twin[b] = N_WORKERS;
            m->n_cells += m->items[b].n_cells;
        }
        s = make(m->items, N_BUNDLES, c, 0);
        for (int i = 0; i < 5000; i++)
            step(s, m);
        finish_alone(s, m);
        assert_int_equal(osw_sched_n_open(s), 0);
        for (uint32_t b = 0; b < N_BUNDLES; b++)
            for (uint32_t k = 0; k < m->items[b].n_cells; k++)
                assert_int_equal(m->settled[b][k], 1);
        osw_sched_destroy(s);
        free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_are_handed_out_in_the_stated_order),
        cmocka_unit_test(
            a_busy_worker_gets_bundles_ahead_up_to_number_and_cost),
        cmocka_unit_test(near_the_end_nothing_waits_for_a_busy_worker),
        cmocka_unit_test(lost_bundles_return_with_a_new_attempt),
        cmocka_unit_test(only_the_bundle_at_work_counts_as_failed),
        cmocka_unit_test(what_has_its_results_did_not_fail),
        cmocka_unit_test(a_bundle_that_keeps_failing_is_given_up),
        cmocka_unit_test(a_cell_that_takes_workers_down_is_lost_alone),
        cmocka_unit_test(what_a_worker_was_lost_at_does_not_delay_the_end),
        cmocka_unit_test(a_kill_from_outside_is_no_failure_so_many_times),
        cmocka_unit_test(a_kill_concerns_only_the_bundle_at_work),
        cmocka_unit_test(cells_missing_at_the_end_of_a_task_are_tried_again),
        cmocka_unit_test(a_device_failure_is_retried_on_another_worker),
        cmocka_unit_test(a_worker_whose_device_is_sound_is_trusted_again),
        cmocka_unit_test(what_a_busy_worker_gives_back_goes_to_the_idle_one),
        cmocka_unit_test(a_worker_is_awaited_when_others_have_nothing_to_do),
        cmocka_unit_test(who_gave_back_gets_work_again_once_it_finished_one),
        cmocka_unit_test(tasks_from_nowhere_are_stale),
        cmocka_unit_test(cells_settled_before_the_start_are_not_handed_out),
        cmocka_unit_test(suspicious_bundles_come_last_and_alone),
        cmocka_unit_test(a_suspicious_bundle_is_handed_out_cell_by_cell),
        cmocka_unit_test(progress_is_the_settled_share_of_cost),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(every_allocation_failure_is_reported),
        cmocka_unit_test(only_what_takes_long_at_the_end_gets_a_second_copy),
        cmocka_unit_test(what_waits_after_a_late_bundle_gets_a_second_copy),
        cmocka_unit_test(a_suspicious_bundle_gets_no_second_copy),
        cmocka_unit_test(the_first_result_of_two_copies_counts),
        cmocka_unit_test(the_copy_that_is_left_goes_on),
        cmocka_unit_test(a_device_failure_of_a_copy_never_stands),
        cmocka_unit_test(every_cell_is_settled_once_whatever_happens),
    };

    return cmocka_run_group_tests_name("mpi_runner/sched", tests, NULL, NULL);
}
