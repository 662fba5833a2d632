/* tests/unit/campaign/test_shard.c - a campaign in parts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/campaign/shard.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_ITEMS = 4000, MAX_SHARDS = 64 };

/* --- the option --- */

static void option_is_two_numbers(void **state)
{
    static const struct {
        const char *word;
        uint32_t index, n; /* 0: refused */
    } cases[] = {
        /* clang-format off */
        { "1/1",       1, 1 },
        { "2/8",       2, 8 },
        { "4096/4096", 4096, 4096 },
        { "0/3",       0, 0 },
        { "4/3",       0, 0 },
        { "1/4097",    0, 0 },
        { "1/0",       0, 0 },
        { "1",         0, 0 },
        { "/4",        0, 0 },
        { "1/",        0, 0 },
        { "1/4/2",     0, 0 },
        { " 1/4",      0, 0 },
        { "-1/4",      0, 0 },
        { "1/99999999999", 0, 0 },
        { "",          0, 0 },
        /* clang-format on */
    };
    struct osw_shard shard = {7, 7};

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc = osw_shard_parse(cases[i].word, &shard, &err);

        print_message("  case: %s\n", cases[i].word);
        assert_int_equal(rc, cases[i].n ? 0 : -1);
        if (rc == 0) {
            assert_int_equal(shard.index, cases[i].index);
            assert_int_equal(shard.n, cases[i].n);
        } else {
            assert_int_equal(err.status, OSW_BAD_INPUT);
            assert_non_null(strstr(err.text, "option '--shard': expected I/N"));
            assert_non_null(strstr(err.text, cases[i].word));
        }
    }
    assert_int_equal(osw_shard_parse(NULL, &shard, NULL), 0);
    assert_int_equal(shard.n, 0);
}

/* --- the split --- */

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* n_ops ops of items whose costs differ by `spread` orders of magnitude. */
static size_t make_items(uint64_t seed, size_t n, uint32_t n_ops,
                         uint32_t spread, struct osw_shard_item *items)
{
    for (size_t i = 0; i < n; i++) {
        int64_t cost = 1 + (int64_t)(next_random(&seed) % 1000);

        for (uint64_t k = next_random(&seed) % (spread + 1); k > 0; k--)
            cost *= 10;
        items[i] = (struct osw_shard_item){(uint32_t)(i * n_ops / n), cost};
    }
    return n;
}

static void split_is_complete_balanced_and_always_the_same(void **state)
{
    static const struct {
        size_t n;
        uint32_t n_ops, spread, n_shards;
    } cases[] = {
        {1, 1, 0, 1},      {5, 2, 0, 5},     {100, 1, 3, 7},
        {100, 100, 3, 8},  {1000, 87, 5, 4}, {1000, 87, 5, 64},
        {4000, 30, 2, 16}, {64, 8, 6, 64},
    };
    static struct osw_shard_item items[MAX_ITEMS];
    static uint32_t shard_of[MAX_ITEMS], again[MAX_ITEMS];

    (void)state;
    for (size_t c = 0; c < N_ELEM(cases); c++) {
        size_t n = make_items(c + 1, cases[c].n, cases[c].n_ops,
                              cases[c].spread, items);
        double loads[MAX_SHARDS] = {0}, least, most, largest = 0, total = 0;
        double limit;
        uint32_t counts[MAX_SHARDS] = {0};

        assert_int_equal(osw_shard_split(items, n, cases[c].n_shards, shard_of),
                         0);
        memset(again, 0xff, sizeof(again));
        assert_int_equal(osw_shard_split(items, n, cases[c].n_shards, again),
                         0);
        assert_memory_equal(shard_of, again, n * sizeof(*again));
        for (size_t i = 0; i < n; i++) {
            assert_true(shard_of[i] < cases[c].n_shards);
            loads[shard_of[i]] += (double)items[i].cost_ns;
            counts[shard_of[i]]++;
            if ((double)items[i].cost_ns > largest)
                largest = (double)items[i].cost_ns;
        }
        least = most = loads[0];
        for (uint32_t s = 0; s < cases[c].n_shards; s++) {
            total += loads[s];
            assert_true(counts[s] > 0);
            least = loads[s] < least ? loads[s] : least;
            most = loads[s] > most ? loads[s] : most;
        }
        /* No campaign can end before its largest bundle. */
        limit = total / cases[c].n_shards + 0.05 * largest;
        if (limit < largest)
            limit = largest;
        print_message("  case %zu: loads %g to %g, largest item %g\n", c, least,
                      most, largest);
        assert_true(most - least <= largest);
        assert_true(most <= limit);
    }
}

/* An op of many small items is divided in few places only. */
static void ops_stay_together_where_they_fit(void **state)
{
    static struct osw_shard_item items[1000];
    static uint32_t shard_of[1000];
    size_t n = make_items(3, 1000, 50, 0, items), n_parts = 0;

    (void)state;
    assert_int_equal(osw_shard_split(items, n, 4, shard_of), 0);
    for (uint32_t op = 0; op < 50; op++)
        for (uint32_t s = 0; s < 4; s++)
            for (size_t i = 0; i < n; i++)
                if (items[i].op == op && shard_of[i] == s) {
                    n_parts++;
                    break;
                }
    print_message("  50 ops are in %zu parts\n", n_parts);
    assert_true(n_parts <= 50 + 4 * 4);
}

static void one_large_item_leaves_the_rest_to_others(void **state)
{
    static const struct osw_shard_item items[] = {{0, 1000}, {1, 10}, {1, 10},
                                                  {2, 10},   {2, 0},  {2, -5}};
    uint32_t shard_of[N_ELEM(items)];

    (void)state;
    assert_int_equal(osw_shard_split(items, N_ELEM(items), 2, shard_of), 0);
    for (size_t i = 1; i < N_ELEM(items); i++)
        assert_int_not_equal(shard_of[i], shard_of[0]);
}

static void split_reports_that_memory_ended(void **state)
{
    static const struct osw_shard_item items[] = {{0, 1}, {1, 1}};
    uint32_t shard_of[2];
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        int rc;

        chaos_arm(failures);
        rc = osw_shard_split(items, 2, 2, shard_of);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
    }
    assert_int_equal(failures, 4);
}

/* --- plans --- */

enum { N_BUNDLES = 7 };

static const char *const impls[] = {"fast", "slow", "wrong"};
static const char *const reasons[] = {"", "", "over memory budget"};
static const uint64_t keys[] = {1, 2, 3};

/* Bundles of 1, 2 and 3 cells, of three ops. */
static struct osw_plan make_plan(struct osw_plan_bundle *bundles)
{
    static const char *const ops[] = {"add", "add", "add", "mm",
                                      "mm",  "neg", "neg"};
    static const char *const cases[] = {"(1)", "(2)", "(3)", "(4)",
                                        "(5)", "(6)", "(7)"};
    struct osw_plan plan = {
        .n_bundles = N_BUNDLES, .bundles = bundles, .digest = "the whole"};

    for (uint32_t i = 0; i < N_BUNDLES; i++) {
        uint32_t n = 1 + i % 3;

        bundles[i] = (struct osw_plan_bundle){.op_name = ops[i],
                                              .case_text = cases[i],
                                              .fill = "",
                                              .cost_ns = 10 * (int64_t)(i + 1),
                                              .balance_ns = 10 + (int64_t)i,
                                              .first_cell = plan.n_cells,
                                              .n_cells = n,
                                              .n_run = n > 2 ? 2 : n,
                                              .impls = impls,
                                              .cell_keys = keys,
                                              .reasons = reasons};
        plan.n_cells += n;
        plan.n_run += bundles[i].n_run;
        plan.cost_ns += bundles[i].cost_ns;
    }
    return plan;
}

static const struct osw_campaign campaign = {.device = "cpu",
                                             .profile = "smoke"};

static void every_cell_is_in_one_shard_under_its_own_number(void **state)
{
    bool seen[1 + 2 + 3 + 1 + 2 + 3 + 1] = {false};
    struct osw_plan_bundle bundles[N_BUNDLES];
    uint64_t n_cells = 0, n_run = 0;
    uint8_t sha[32];

    (void)state;
    for (uint32_t index = 1; index <= 3; index++) {
        struct osw_plan plan = make_plan(bundles);
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_shard_take(&campaign, (struct osw_shard){index, 3},
                                        &plan, &err),
                         0);
        assert_int_equal(plan.shard.index, index);
        assert_int_equal(plan.shard.n, 3);
        assert_int_equal(plan.shard.n_cells, N_ELEM(seen));
        assert_int_equal(osw_plan_n_numbers(&plan), N_ELEM(seen));
        assert_int_equal(plan.shard.n_bundles, N_BUNDLES);
        assert_int_equal(plan.shard.expect_ns, 280);
        assert_string_equal(plan.digest, "the whole");
        if (index > 1)
            assert_memory_equal(plan.shard.sha256, sha, sizeof(sha));
        memcpy(sha, plan.shard.sha256, sizeof(sha));
        for (size_t i = 0; i < plan.n_bundles; i++)
            for (uint32_t k = 0; k < plan.bundles[i].n_cells; k++) {
                assert_false(seen[plan.bundles[i].first_cell + k]);
                seen[plan.bundles[i].first_cell + k] = true;
                n_cells++;
                n_run += k < plan.bundles[i].n_run;
            }
    }
    assert_int_equal(n_cells, N_ELEM(seen));
    assert_int_equal(n_run, N_ELEM(seen) - 2);
}

/* What a node has room for changes neither the split nor its identity; what
 * is judged, and what it is predicted to cost, do.
 */
static void identity_is_that_of_cells_and_costs(void **state)
{
    struct osw_plan_bundle bundles[N_BUNDLES];
    uint8_t base[32] = {0};

    (void)state;
    for (int change = 0; change < 7; change++) {
        struct osw_plan plan = make_plan(bundles);
        struct osw_campaign c = campaign;
        bool same = change < 3;

        if (change == 1)
            bundles[2].n_run = 0; /* over this node's memory budget */
        if (change == 2)
            bundles[3].fill = "int(-1, 1)"; /* and checked in another way */
        if (change == 3)
            bundles[3].balance_ns++;
        if (change == 4)
            bundles[3].case_text = "(44)";
        if (change == 5)
            c.device = "cuda";
        if (change == 6)
            bundles[3].n_cells = 3;
        assert_int_equal(
            osw_shard_take(&c, (struct osw_shard){1, 2}, &plan, NULL), 0);
        if (change == 0)
            memcpy(base, plan.shard.sha256, sizeof(base));
        print_message("  change %d\n", change);
        assert_int_equal(memcmp(base, plan.shard.sha256, sizeof(base)) == 0,
                         same);
    }
}

static void whole_campaign_is_left_as_it_is(void **state)
{
    struct osw_plan_bundle bundles[N_BUNDLES];
    struct osw_plan plan = make_plan(bundles);
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(
        osw_shard_take(&campaign, (struct osw_shard){0, 0}, &plan, &err), 0);
    assert_ptr_equal(plan.bundles, bundles);
    assert_int_equal(plan.shard.n, 0);
    assert_int_equal(osw_plan_n_numbers(&plan), plan.n_cells);
    assert_int_equal(
        osw_shard_take(&campaign, (struct osw_shard){1, 8}, &plan, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "expected N up to 7, the number of cases "
                                     "of this campaign; found 1/8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_is_two_numbers),
        cmocka_unit_test(split_is_complete_balanced_and_always_the_same),
        cmocka_unit_test(ops_stay_together_where_they_fit),
        cmocka_unit_test(one_large_item_leaves_the_rest_to_others),
        cmocka_unit_test(split_reports_that_memory_ended),
        cmocka_unit_test(every_cell_is_in_one_shard_under_its_own_number),
        cmocka_unit_test(identity_is_that_of_cells_and_costs),
        cmocka_unit_test(whole_campaign_is_left_as_it_is),
    };

    return cmocka_run_group_tests_name("mpi_runner/shard", tests, NULL, NULL);
}
