/* test_sched_gang.c - bundles that several workers judge together */
#include "tests/unit/sched/gang_fixture.h"

/* --- a gang's life --- */

static void workers_of_one_node_go_together(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 10, 4}};
    osw_sched_t *s = make(items, 1, few, 8, 4);
    struct osw_sched_gang g = next_gang(s, 6), same;

    (void)state;
    expect_members(&g, 4, 4);
    assert_true(g.one_node);
    assert_int_equal(g.task.bundle, 0);
    assert_int_equal(g.task.attempt, 1);
    assert_int_equal(osw_sched_n_out(s), 1);
    for (uint32_t w = 0; w < 8; w++) {
        assert_int_equal(osw_sched_n_flying(s, w), w >= 4);
        assert_int_equal(osw_sched_is_idle(s, w), w < 4);
        assert_int_equal(osw_sched_gang_of(s, w, &same), w >= 4);
        nothing_for(s, w);
    }
    assert_int_equal(osw_sched_current(s, 7), 0);
    assert_false(osw_sched_is_late(s, 4, INT64_MAX)); /* no second copy */
    complete(s, &g, 2);
    assert_int_equal(osw_sched_n_open(s), 0);
    assert_int_equal(osw_sched_n_out(s), 0);
    assert_true(osw_sched_is_idle(s, 5));
    assert_true(osw_sched_progress(s) == 1);
    osw_sched_destroy(s);
}

static void the_first_member_alone_gives_results(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10, 2}};
    osw_sched_t *s = make(items, 1, few, 2, 2);
    struct osw_sched_gang g = next_gang(s, 0);

    (void)state;
    assert_int_equal(osw_sched_result(s, 1, g.task, 0, false), OSW_SCHED_STALE);
    assert_int_equal(osw_sched_result(s, 0, g.task, 0, false), OSW_SCHED_FRESH);
    assert_int_equal(osw_sched_result(s, 0, g.task, 0, false),
                     OSW_SCHED_DUPLICATE);
    osw_sched_destroy(s);
}

/* A member that asks before the others have ended would leave its node's gangs.
 */
static void members_are_free_when_all_have_ended(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10, 2}, {1, 1, 9, 2}, {2, 1, 1}};
    osw_sched_t *s = make(items, 3, few, 2, 2);
    struct osw_sched_gang g = next_gang(s, 0);

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, g.task, 0, false), OSW_SCHED_FRESH);
    osw_sched_finished(s, 1, g.task);
    osw_sched_finished(s, 1, g.task); /* twice is once */
    assert_int_equal(osw_sched_n_flying(s, 1), 0);
    nothing_for(s, 1);
    osw_sched_finished(s, 0, g.task);
    assert_int_equal(next_gang(s, 1).task.bundle, 1);
    osw_sched_destroy(s);
}

static void what_is_missing_at_the_end_is_tried_again_by_a_gang(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 10, 2}};
    osw_sched_t *s = make(items, 1, few, 2, 2);
    struct osw_sched_gang g = next_gang(s, 0);
    uint32_t gone;

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, g.task, 1, false), OSW_SCHED_FRESH);
    finish_all(s, &g);
    g = next_gang(s, 0);
    assert_int_equal(g.task.attempt, 2);
    assert_false(osw_sched_is_meant(s, 0, 1));
    finish_all(s, &g);
    no_gang_for(s, 0);
    assert_true(osw_sched_given_up(s, &gone));
    assert_int_equal(gone, 0);
    osw_sched_destroy(s);
}

/* --- loss --- */

static void a_lost_member_fails_the_attempt_for_all(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10, 2}, {2, 1, 1}};
    osw_sched_t *s = make(items, 2, few, 3, 3);
    struct osw_sched_gang g = next_gang(s, 0), again;
    uint32_t gone = 9;

    (void)state;
    expect_members(&g, 1, 2); /* of the node's ring, the last ones to come */
    complete_single(s, 0, next(s, 0));
    osw_sched_worker_lost(s, 1); /* the one that gives results */
    assert_false(osw_sched_gang_of(s, 2, &again));
    assert_int_equal(osw_sched_result(s, 2, g.task, 0, false), OSW_SCHED_STALE);
    osw_sched_finished(s, 2, g.task); /* it hears of it later: stale */
    again = next_gang(s, 2);
    assert_int_equal(again.task.attempt, 2);
    assert_int_equal(again.workers[0], 0);
    assert_int_equal(again.workers[1], 2);
    osw_sched_worker_lost(s, 2);
    assert_true(osw_sched_given_up(s, &gone)); /* two attempts */
    assert_int_equal(gone, 0);
    assert_true(osw_sched_is_idle(s, 0));
    osw_sched_destroy(s);
}

/* It takes longer than the rest. */
static void a_long_gang_that_lost_members_does_not_come_last(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 2, 100, 2}, {2, 1, 10}, {2, 1, 10}, {2, 1, 10, 2}};
    struct osw_sched_config c = few;
    struct osw_sched_gang g;
    osw_sched_t *s;

    (void)state;
    c.max_attempts = 3;
    s = make(items, N_ELEM(items), c, 5, 5);
    g = next_gang(s, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(g.task.bundle, 0);
        osw_sched_worker_lost(s, g.workers[0]);
        g = next_gang(s, g.workers[1]);
        assert_int_equal(g.task.bundle, 0);
        assert_int_equal(osw_sched_is_meant(s, 0, 1), i == 0);
    }
    osw_sched_destroy(s);
}

static void
a_gang_that_fails_counts_and_one_that_is_given_back_does_not(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10, 2}};
    osw_sched_t *s = make(items, 1, few, 2, 2);
    struct osw_sched_gang g = next_gang(s, 0);
    uint32_t gone;

    (void)state;
    osw_sched_returned(s, 1, g.task);
    g = next_gang(s, 0);
    osw_sched_gang_failed(s, g.task);
    osw_sched_gang_failed(s, g.task);                         /* stale */
    osw_sched_gang_failed(s, (struct osw_sched_task){77, 1}); /* nowhere */
    g = next_gang(s, 1);
    assert_int_equal(g.task.attempt, 3);
    osw_sched_gang_failed(s, (struct osw_sched_task){0, 2});
    assert_int_equal(osw_sched_n_out(s), 1);
    osw_sched_gang_failed(s, g.task);
    assert_true(osw_sched_given_up(s, &gone));
    osw_sched_destroy(s);
}

/* What it was at has its result then: nothing failed, and the rest is tried. */
static void a_member_lost_after_the_result_costs_no_attempt(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 10, 2}};
    struct osw_sched_config c = few;
    struct osw_sched_gang g;
    uint32_t bundle;
    osw_sched_t *s;

    (void)state;
    c.max_attempts = 3;
    s = make(items, 1, c, 6, 6);
    g = next_gang(s, 0);
    for (int i = 0; i < 2; i++) {
        osw_sched_worker_lost(s, g.workers[0]);
        g = next_gang(s, g.workers[1]);
    }
    assert_int_equal(osw_sched_result(s, g.workers[0], g.task, 0, false),
                     OSW_SCHED_FRESH);
    osw_sched_worker_lost(s, g.workers[1]);
    assert_false(osw_sched_given_up(s, &bundle));
    osw_sched_finished(s, g.workers[0], g.task);
    g = next_gang(s, g.workers[0]);
    assert_true(osw_sched_is_meant(s, 0, 1));
    assert_int_equal(osw_sched_result(s, g.workers[0], g.task, 1, false),
                     OSW_SCHED_FRESH);
    finish_all(s, &g);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

/* Which of them it was is not known: each looks at its own. */
static void a_device_that_fails_in_a_gang_costs_no_worker(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10, 2}};
    osw_sched_t *s = make(items, 1, few, 2, 2);
    struct osw_sched_gang g = next_gang(s, 0);

    (void)state;
    assert_int_equal(osw_sched_result(s, 0, g.task, 0, true), OSW_SCHED_RETRY);
    assert_false(osw_sched_has_doubted(s));
    finish_all(s, &g);
    assert_int_equal(next_gang(s, 1).task.attempt, 2);
    osw_sched_destroy(s);
}

/* The second time its cells are tried one by one, after all else. */
static void a_kill_from_outside_is_no_failure(void **state)
{
    static const struct osw_sched_item items[] = {{1, 2, 10, 2}, {2, 1, 1}};
    struct osw_sched_config c = few;
    osw_sched_t *s;
    uint32_t gone;

    (void)state;
    c.max_attempts = 1;
    c.max_pardons = 5;
    s = make(items, 2, c, 2, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(next_gang(s, 0).task.attempt, i + 1);
        osw_sched_worker_killed(s, 1);
        osw_sched_worker_ready(s, 1, 0);
    }
    assert_false(osw_sched_given_up(s, &gone));
    complete_single(s, 0, next(s, 0));
    next_gang(s, 0);
    assert_true(osw_sched_is_meant(s, 0, 0) != osw_sched_is_meant(s, 0, 1));
    osw_sched_worker_lost(s, 0);
    assert_true(osw_sched_given_up(s, &gone));
    osw_sched_destroy(s);
}

static void a_held_worker_that_is_lost_costs_no_attempt(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10}, {2, 1, 10, 3}};
    osw_sched_t *s = make(items, 2, few, 1, 4);
    struct osw_sched_task t = next(s, 0); /* the node has not three yet */
    struct osw_sched_gang g;

    (void)state;
    for (uint32_t w = 1; w < 3; w++)
        osw_sched_worker_ready(s, w, 0);
    nothing_for(s, 1); /* held, with worker 0 */
    osw_sched_worker_lost(s, 2);
    assert_true(osw_sched_is_idle(s, 1));
    osw_sched_worker_ready(s, 3, 0);
    nothing_for(s, 3);
    complete_single(s, 0, t);
    g = next_gang(s, 0);
    assert_int_equal(g.task.attempt, 1);
    assert_int_equal(g.workers[1], 1);
    assert_int_equal(g.workers[2], 3);
    osw_sched_destroy(s);
}

/* --- order --- */

/* Gangs of one node of four; each ends before the next one is asked for. */
static void larger_worlds_come_first_and_then_larger_costs(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 20, 2}, {1, 1, 40, 3}, {2, 1, 30, 4}, {2, 1, 31, 4}, {3, 1, 70}};
    const uint32_t order[] = {3, 2, 1, 0};
    osw_sched_t *s = make(items, N_ELEM(items), few, 4, 4);

    (void)state;
    for (size_t i = 0; i < N_ELEM(order); i++) {
        struct osw_sched_gang g = next_gang(s, 3);

        assert_int_equal(g.task.bundle, order[i]);
        complete(s, &g, 1);
    }
    osw_sched_destroy(s);
}

static void a_gang_as_long_as_every_share_starts_now(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 100, 2}, {1, 1, 20, 4}, {1, 1, 20, 4}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 4, 4);

    (void)state;
    assert_int_equal(next_gang(s, 0).task.bundle, 0);
    osw_sched_destroy(s);
}

/* Though gangs have their share of the workers, and one must be waited for. */
static void a_long_gang_is_waited_for_at_once(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 100, 2}, {1, 1, 100, 2}, {2, 1, 100}, {2, 1, 40}, {2, 1, 40}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 1, 4);

    (void)state;
    assert_int_equal(next(s, 0).bundle, 2);
    for (uint32_t w = 1; w < 3; w++) {
        osw_sched_worker_ready(s, w, 0);
        nothing_for(s, w);
    }
    osw_sched_destroy(s);
}

/* Workers 0 and 1 are at single bundles; one with nothing to do waits for the
 * one that has less.
 */
static void a_node_stops_feeding_those_that_cost_least(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 50}, {1, 1, 40}, {1, 1, 30}, {1, 1, 20}, {2, 1, 10, 2}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 1, 4);
    struct osw_sched_task a = next(s, 0), b;
    struct osw_sched_gang g;

    (void)state;
    osw_sched_worker_ready(s, 1, 1); /* another node */
    b = next(s, 1);
    osw_sched_worker_ready(s, 2, 1);
    nothing_for(s, 2); /* held, and so is worker 1 */
    complete_single(s, 0, a);
    next(s, 0); /* not of that node */
    complete_single(s, 1, b);
    g = next_gang(s, 1);
    expect_members(&g, 1, 2);
    osw_sched_destroy(s);
}

/* Of eight workers and 5 % of the cost gangs get one gang, the others go on. */
static void gangs_have_at_most_twice_their_share(void **state)
{
    struct osw_sched_item items[400];
    osw_sched_t *s;
    struct osw_sched_gang g;

    (void)state;
    for (uint32_t i = 0; i < N_ELEM(items); i++)
        items[i] = (struct osw_sched_item){i % 7, 1, 100, i < 10 ? 2 : 1};
    s = make(items, N_ELEM(items), few, 8, 8);
    g = next_gang(s, 0);
    for (uint32_t w = 0; w < 8; w++)
        if (w < g.workers[0])
            next(s, w);
        else
            nothing_for(s, w);
    complete(s, &g, 1); /* the same two workers have the next one */
    assert_int_equal(next_gang(s, g.workers[0]).workers[0], g.workers[0]);
    osw_sched_destroy(s);

    for (uint32_t i = 0; i < N_ELEM(items); i++) /* 30 %: 60 % of them */
        items[i].world = i < 70 ? 2 : 1;
    s = make(items, N_ELEM(items), few, 8, 8);
    next_gang(s, 0);
    next_gang(s, 0);
    next(s, 0);
    osw_sched_destroy(s);
}

/* As all of so many workers ask in turn. */
static struct osw_sched_gang ask_all(osw_sched_t *s, uint32_t n)
{
    struct osw_sched_gang g = {.n = 0};

    for (uint32_t w = 0; w < n; w++)
        if (osw_sched_next_gang(s, w, &g))
            return g;
    fail();
    return g;
}

/* Two gangs that both lack workers would wait for each other. */
static void two_gangs_never_wait_for_each_other(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10, 3}, {1, 1, 9, 3}, {1, 1, 8, 3}, {1, 1, 7, 3}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 4, 4);

    (void)state;
    for (uint32_t i = 0; i < N_ELEM(items); i++) {
        struct osw_sched_gang g = ask_all(s, 4);

        assert_int_equal(g.task.bundle, i);
        for (uint32_t w = 0; w < 4; w++)
            nothing_for(s, w); /* one is held for the next gang */
        complete(s, &g, 1);
    }
    osw_sched_destroy(s);
}

static void known_cells_need_no_gang(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 10, 2}, {1, 1, 9, 2}};
    osw_sched_t *s = make(items, 2, few, 2, 2);

    (void)state;
    osw_sched_settle(s, 0, 0);
    assert_int_equal(next_gang(s, 0).task.bundle, 1);
    assert_false(osw_sched_has_gang(s));
    osw_sched_destroy(s);
}

/* --- suspicion --- */

static void suspicious_gangs_come_last_and_alone(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10, 2}, {1, 2, 9, 2}, {2, 1, 8}, {2, 1, 7, 2}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 0, 3);
    struct osw_sched_task t;
    struct osw_sched_gang g;

    (void)state;
    osw_sched_suspect(s, 0, true);
    osw_sched_suspect(s, 1, false);
    for (uint32_t w = 0; w < 3; w++)
        osw_sched_worker_ready(s, w, 0);
    g = next_gang(s, 0);
    assert_int_equal(g.task.bundle, 3);
    complete(s, &g, 1);
    t = next(s, 0);
    for (int i = 0; i < 2; i++) { /* cell by cell */
        g = next_gang(s, 1);
        assert_int_equal(g.task.bundle, 1);
        assert_int_equal(
            osw_sched_is_meant(s, 1, 0) + osw_sched_is_meant(s, 1, 1), 1);
        assert_int_equal(osw_sched_result(s, g.workers[0], g.task,
                                          osw_sched_is_meant(s, 1, 0) ? 0 : 1,
                                          false),
                         OSW_SCHED_FRESH);
        finish_all(s, &g);
    }
    nothing_for(s, 1); /* worker 0 is still at work */
    complete_single(s, 0, t);
    g = next_gang(s, 2);
    assert_int_equal(g.task.bundle, 0);
    for (uint32_t w = 0; w < 3; w++)
        nothing_for(s, w);
    complete(s, &g, 1);
    assert_int_equal(osw_sched_n_open(s), 0);
    osw_sched_destroy(s);
}

/* --- nodes --- */

static void a_world_larger_than_any_node_is_told(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10, 3}, {1, 1, 9, 5}, {1, 1, 9, 6}, {1, 1, 8, 6}};
    osw_sched_t *s = make(items, N_ELEM(items), few, 8, 4);
    uint32_t b, have;

    (void)state;
    assert_true(osw_sched_unmet(s, &b, &have));
    assert_int_equal(b, 2);
    assert_int_equal(have, 4);
    assert_true(osw_sched_unmet(s, &b, &have));
    assert_true(osw_sched_unmet(s, &b, &have));
    assert_int_equal(b, 1);
    assert_false(osw_sched_unmet(s, &b, &have));
    osw_sched_worker_lost(s, 0);
    assert_false(osw_sched_unmet(s, &b, &have)); /* the other node */
    osw_sched_worker_lost(s, 4);
    osw_sched_worker_lost(s, 5);
    assert_false(osw_sched_unmet(s, &b, &have)); /* three are enough */
    osw_sched_worker_lost(s, 1);
    assert_true(osw_sched_unmet(s, &b, &have));
    assert_int_equal(b, 0);
    assert_int_equal(have, 2);
    assert_false(osw_sched_has_gang(s));
    osw_sched_destroy(s);
}

static void
where_it_is_allowed_a_gang_has_workers_of_several_nodes(void **state)
{
    static const struct osw_sched_item items[] = {
        {1, 1, 10, 3}, {1, 1, 9, 4}, {1, 1, 8, 10}, {1, 1, 200}};
    struct osw_sched_config c = few;
    osw_sched_t *s;
    struct osw_sched_gang g;
    uint32_t b, have;

    (void)state;
    c.across_nodes = true;
    s = make(items, N_ELEM(items), c, 9, 3);
    assert_true(osw_sched_unmet(s, &b, &have));
    assert_int_equal(b, 2);
    assert_int_equal(have, 9);
    osw_sched_settle(s, b, 0);
    g = next_gang(s, 0); /* four: more than a node has */
    assert_int_equal(g.task.bundle, 1);
    assert_int_equal(g.n, 4);
    assert_false(g.one_node);
    complete(s, &g, 1);
    g = next_gang(s, 5);
    assert_int_equal(g.task.bundle, 0);
    expect_members(&g, 3, 3);
    assert_true(g.one_node);
    osw_sched_destroy(s);
}

static void too_large_a_world_is_named(void **state)
{
    static const struct osw_sched_item items[] = {{1, 1, 1, 64}, {1, 1, 1, 65}};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_null(osw_sched_create(items, 2, &few, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "bundle 1 has a world of 65, at most 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_of_one_node_go_together),
        cmocka_unit_test(the_first_member_alone_gives_results),
        cmocka_unit_test(members_are_free_when_all_have_ended),
        cmocka_unit_test(what_is_missing_at_the_end_is_tried_again_by_a_gang),
        cmocka_unit_test(a_lost_member_fails_the_attempt_for_all),
        cmocka_unit_test(a_long_gang_that_lost_members_does_not_come_last),
        cmocka_unit_test(
            a_gang_that_fails_counts_and_one_that_is_given_back_does_not),
        cmocka_unit_test(a_member_lost_after_the_result_costs_no_attempt),
        cmocka_unit_test(a_device_that_fails_in_a_gang_costs_no_worker),
        cmocka_unit_test(a_kill_from_outside_is_no_failure),
        cmocka_unit_test(a_held_worker_that_is_lost_costs_no_attempt),
        cmocka_unit_test(larger_worlds_come_first_and_then_larger_costs),
        cmocka_unit_test(a_gang_as_long_as_every_share_starts_now),
        cmocka_unit_test(a_long_gang_is_waited_for_at_once),
        cmocka_unit_test(a_node_stops_feeding_those_that_cost_least),
        cmocka_unit_test(gangs_have_at_most_twice_their_share),
        cmocka_unit_test(two_gangs_never_wait_for_each_other),
        cmocka_unit_test(known_cells_need_no_gang),
        cmocka_unit_test(suspicious_gangs_come_last_and_alone),
        cmocka_unit_test(a_world_larger_than_any_node_is_told),
        cmocka_unit_test(
            where_it_is_allowed_a_gang_has_workers_of_several_nodes),
        cmocka_unit_test(too_large_a_world_is_named),
    };

    return cmocka_run_group_tests_name("mpi_runner/sched_gang", tests, NULL,
                                       NULL);
}
