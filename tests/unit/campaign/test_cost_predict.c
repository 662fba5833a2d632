/* tests/unit/campaign/test_cost_predict.c - how long a plan takes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/campaign/cost_predict.h"
#include "mpi_runner/campaign/cost_table.h"
#include "tests/unit/chaos.h"

enum { N_BUNDLES = 4 };

/* Two implementations of add on two cases, of mul on two others; sizes suggest
 * 100 ns a cell, and 300 of the second case of each op.
 */
static const char *const impls[] = {"fast", "slow"};
static const char *const reasons[] = {"", ""};
static const uint64_t keys[N_BUNDLES][2] = {
    {11, 12}, {21, 22}, {31, 32}, {41, 42}};

static struct osw_plan make_plan(struct osw_plan_bundle *bundles)
{
    struct osw_plan plan = {.n_bundles = N_BUNDLES, .bundles = bundles};

    for (int i = 0; i < N_BUNDLES; i++) {
        bundles[i] = (struct osw_plan_bundle){
            .op_name = i < 2 ? "add" : "mul",
            .case_text = "()",
            .fill = "",
            .cost_ns = i % 2 ? 600 : 200,
            .balance_ns = i % 2 ? 600 : 200,
            .first_cell = plan.n_cells,
            .n_cells = 2,
            .n_run = 2,
            .impls = impls,
            .cell_keys = keys[i],
            .reasons = reasons,
        };
        plan.n_cells += 2;
    }
    plan.n_run = plan.n_cells;
    return plan;
}

struct fixture {
    osw_arena_t *arena;
    osw_cost_history_t *history;
    struct osw_plan_bundle bundles[N_BUNDLES];
    struct osw_plan plan;
};

static int set_up(void **state)
{
    static struct fixture f;

    f.arena = osw_arena_create();
    f.history = osw_cost_history_create("cpu smoke");
    f.plan = make_plan(f.bundles);
    *state = &f;
    return f.arena && f.history ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_cost_history_destroy(f->history);
    osw_arena_destroy(f->arena);
    return 0;
}

static void know(struct fixture *f, uint64_t key, const char *op,
                 const char *impl, double ns)
{
    assert_int_equal(osw_cost_history_add_cell(f->history, key, op, impl, ns),
                     0);
}

static void expect(const struct fixture *f, int64_t a, int64_t b, int64_t c,
                   int64_t d)
{
    const int64_t want[] = {a, b, c, d};

    for (int i = 0; i < N_BUNDLES; i++)
        assert_int_equal(f->plan.bundles[i].expect_ns, want[i]);
}

static void predict(struct fixture *f)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_cost_predict(f->history, &f->plan, &err), 0);
}

static void without_history_sizes_count(void **state)
{
    struct fixture *f = *state;

    predict(f);
    expect(f, 200, 600, 200, 600);
    assert_int_equal(f->plan.bundles[1].n_known, 0);
    assert_int_equal(f->plan.bundles[1].balance_ns, 600);
    assert_int_equal(osw_cost_predict(NULL, &f->plan, NULL), 0);
    expect(f, 200, 600, 200, 600);
}

/* add/fast takes ten times as long as suggested, add/slow is not known: it is
 * taken for as slow as add, and so is all of mul.
 */
static void known_cells_tell_of_others(void **state)
{
    struct fixture *f = *state;

    know(f, 11, "add", "fast", 1000);
    predict(f);
    expect(f, 1000 + 1000, 3000 + 3000, 2000, 6000);
    assert_int_equal(f->plan.bundles[0].n_known, 1);
    assert_int_equal(f->plan.bundles[0].cost_ns, 200); /* limits stay */
    assert_int_equal(f->plan.bundles[0].balance_ns, 2000);
}

static void implementations_are_told_apart(void **state)
{
    struct fixture *f = *state;

    know(f, 11, "add", "fast", 1000);
    know(f, 12, "add", "slow", 5000);
    predict(f);
    expect(f, 6000, 3000 + 15000, 2 * 3000, 2 * 9000);
    assert_int_equal(f->plan.bundles[0].n_known, 2);
}

/* Files with other cases of an implementation have its mean. */
static void cells_of_other_cases_give_a_mean(void **state)
{
    struct fixture *f = *state;

    know(f, 11, "add", "fast", 1000);
    know(f, 77, "mul", "fast", 50);
    know(f, 78, "mul", "fast", 70);
    predict(f);
    expect(f, 2000, 6000, 60 + 1000, 60 + 3000);
}

static void several_files_give_a_mean(void **state)
{
    struct fixture *f = *state;

    know(f, 11, "add", "fast", 1000);
    know(f, 11, "add", "fast", 2000);
    predict(f);
    expect(f, 1500 + 1500, 9000, 3000, 9000);
}

/* An op that the cache does not know counts as those that it does; shards are
 * split by result files alone, since other nodes have other caches.
 */
static void cache_helps_where_files_say_nothing(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "opsweep cost history 1\ncpu smoke\tadd\t4\ncpu sweep\tmul\t9\n";
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(
        osw_cost_history_parse(f->history, text, strlen(text), &err), 0);
    predict(f);
    expect(f, 800, 2400, 800, 2400);
    assert_int_equal(f->plan.bundles[0].balance_ns, 200);
    assert_int_equal(f->plan.bundles[0].n_known, 0);
    know(f, 31, "mul", "fast", 200);
    predict(f);
    expect(f, 800, 2400, 400, 1200);
    assert_int_equal(f->plan.bundles[0].balance_ns, 400);
}

static void clock_is_that_of_the_longest_bundle_or_of_all(void **state)
{
    struct fixture *f = *state;
    uint8_t states[8] = {
        [0] = OSW_STATE_PASS, [2] = OSW_STATE_PASS, [3] = OSW_STATE_VALUE};
    struct osw_cost_prediction p;

    know(f, 11, "add", "fast", 100);
    predict(f);
    p = osw_cost_predict_wall(&f->plan, NULL, 1);
    assert_int_equal(p.work_ns, 1600);
    assert_int_equal(p.wall_ns, 1600);
    assert_int_equal(p.n_cells, 8);
    assert_int_equal(p.n_known, 1);
    assert_int_equal(osw_cost_predict_wall(&f->plan, NULL, 2).wall_ns, 800);
    assert_int_equal(osw_cost_predict_wall(&f->plan, NULL, 100).wall_ns, 600);
    p = osw_cost_predict_wall(&f->plan, states, 1);
    assert_int_equal(p.work_ns, 100 + 200 + 600);
    assert_int_equal(p.n_cells, 5);
}

static void table_grows_and_finds(void **state)
{
    struct osw_cost_table t = {.slots = NULL};

    (void)state;
    assert_null(osw_cost_table_find(&t, 0));
    for (uint64_t k = 0; k < 5000; k++)
        assert_int_equal(osw_cost_table_add(&t, k << 40, (double)k, 1), 0);
    for (uint64_t k = 0; k < 5000; k++) {
        const struct osw_cost_sum *s = osw_cost_table_find(&t, k << 40);

        assert_non_null(s);
        assert_true(s->n == 1 && s->took_ns == (double)k);
    }
    assert_null(osw_cost_table_find(&t, 1));
    osw_cost_table_free(&t);
    assert_true(osw_cost_table_key("a", "bc") != osw_cost_table_key("ab", "c"));
    assert_true(osw_cost_table_key("a", "") != osw_cost_table_key("a", NULL));
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int failures = 0;

    know(f, 11, "add", "fast", 100);
    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        chaos_arm(failures);
        rc = osw_cost_predict(f->history, &f->plan, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures >= 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(without_history_sizes_count),
        T(known_cells_tell_of_others),
        T(implementations_are_told_apart),
        T(cells_of_other_cases_give_a_mean),
        T(several_files_give_a_mean),
        T(cache_helps_where_files_say_nothing),
        T(clock_is_that_of_the_longest_bundle_or_of_all),
        cmocka_unit_test(table_grows_and_finds),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("mpi_runner/cost_predict", tests, NULL,
                                       NULL);
}
