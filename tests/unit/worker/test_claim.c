/* tests/unit/worker/test_claim.c - can claimed times be true? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/timing/claim.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define US        1000

static void verdicts_by_table(void **state)
{
    static const struct {
        const char *what;
        double claimed_us;
        int64_t wall_us, held_us, cpu_us; /* of the block */
        double beside_us, beside_run_us;
        int n_threads;
        bool held_known;
        enum osw_claim_verdict want;
        int64_t judge_held_us;
    } rows[] = {
        /* clang-format off */
        { "all of its time",        2000, 2050,    0, 2040,  50,  40, 1, true,  OSW_CLAIM_CONFIRMED, 0 },
        { "slow by 1.3",            1538, 2050,    0, 2040,  50,  40, 1, true,  OSW_CLAIM_REFUTED, 0 },
        { "slow by 1000",              2, 2050,    0, 2040,  50,  40, 1, true,  OSW_CLAIM_REFUTED, 0 },
        { "slow, asleep",           1538, 2050,    0,   20,  50,  40, 1, true,  OSW_CLAIM_DOUBTED, 0 },
        { "asleep",                 2000, 2050,    0,   20,  50,  40, 1, true,  OSW_CLAIM_CONFIRMED, 0 },
        { "held up in a sample",    5000, 5050, 3000, 2040,  50,  40, 1, true,  OSW_CLAIM_CONFIRMED, 0 },
        { "held up before it",      2000, 5050, 3000, 2040,  50,  40, 1, true,  OSW_CLAIM_UNCLEAR, 0 },
        { "slow, held up before",   1538, 5050, 3000, 2040,  50,  40, 1, true,  OSW_CLAIM_REFUTED, 0 },
        { "slow, held up, asleep",  1800, 5050, 3000,   20,  50,  40, 1, true,  OSW_CLAIM_UNCLEAR, 0 },
        { "two threads",            1000, 1050,    0, 2040,  50,  40, 2, true,  OSW_CLAIM_CONFIRMED, 0 },
        { "two, held up before",    1000, 4050, 3000, 2040,  50,  40, 2, true,  OSW_CLAIM_UNCLEAR, 0 },
        { "unknown, asleep",         1000, 2050,    0,   20,  50,  40, 1, false, OSW_CLAIM_UNCLEAR, 0 },
        { "unknown, slow",           1538, 2050,    0, 2040,  50,  40, 1, false, OSW_CLAIM_REFUTED, 0 },
        { "restores beside calls",  1000, 2050,    0, 2040, 1050, 1040, 1, true, OSW_CLAIM_CONFIRMED, 0 },
        { "slow by 2, half a core",   149000, 300000, 150000, 149000, 50, 40, 1, true,  OSW_CLAIM_REFUTED, 0 },
        { "slow by 1.3, half a core", 228000, 300000, 150000, 149000, 50, 40, 1, true,  OSW_CLAIM_REFUTED, 0 },
        { "the same, not known",      228000, 300000,      0, 149000, 50, 40, 1, false, OSW_CLAIM_UNCLEAR, 0 },
        { "woken late, half a core",  250000, 300000, 150000, 149000, 50, 40, 1, true,  OSW_CLAIM_UNCLEAR, 0 },
        { "answer read late",         228000, 300000, 150000, 149000, 50, 40, 1, true,  OSW_CLAIM_UNCLEAR, 40000 },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_claim_account a = {
            .wall_ns = rows[i].wall_us * US,
            .held_ns = rows[i].held_us * US,
            .judge_held_ns = rows[i].judge_held_us * US,
            .cpu_ns = rows[i].cpu_us * US,
            .held_known = rows[i].held_known,
        };
        const struct osw_claim_beside beside = {rows[i].beside_us * US,
                                                rows[i].beside_run_us * US,
                                                rows[i].beside_run_us * US};

        print_message("  case: %s\n", rows[i].what);
        assert_int_equal(osw_claim_judge(rows[i].claimed_us * US, &beside, &a,
                                         rows[i].n_threads),
                         rows[i].want);
    }
}

/* Ten samples at most, of which the first `n_late` were disturbed. */
static void stamped_verdicts_by_table(void **state)
{
    static const struct {
        const char *what;
        float claim_ns;
        double wall_ns, late_ns;
        size_t n, n_late;
        bool held_known;
        enum osw_claim_verdict want;
    } rows[] = {
        /* clang-format off */
        { "true",                 6000, 6300,     0, 10,  0, true,  OSW_CLAIM_CONFIRMED },
        { "one sample",           6000, 6300,     0,  1,  0, true,  OSW_CLAIM_CONFIRMED },
        { "no sample",            6000, 6300,     0,  0,  0, true,  OSW_CLAIM_UNCLEAR },
        { "slow by 1.3",          4615, 6300,     0, 10,  0, true,  OSW_CLAIM_REFUTED },
        { "slow by 8",             750, 6300,     0, 10,  0, true,  OSW_CLAIM_REFUTED },
        { "slow, in two samples",  750, 6300,     0,  2,  0, true,  OSW_CLAIM_REFUTED },
        { "slow, one seen late",   750, 6300, 90000,  2,  1, true,  OSW_CLAIM_UNCLEAR },
        { "four seen late",       6000, 6300, 90000, 10,  4, true,  OSW_CLAIM_CONFIRMED },
        { "six seen late",        6000, 6300, 90000, 10,  6, true,  OSW_CLAIM_UNCLEAR },
        { "all seen late",        6000, 6300, 90000, 10, 10, true,  OSW_CLAIM_UNCLEAR },
        { "slow, seven late",      750, 6300, 90000, 10,  7, true,  OSW_CLAIM_REFUTED },
        { "slow, eight late",      750, 6300, 90000, 10,  8, true,  OSW_CLAIM_UNCLEAR },
        { "slow, not known",       750, 6300,     0, 10,  0, false, OSW_CLAIM_DOUBTED },
        { "as short as stamps",    100,  400,     0, 10,  0, true,  OSW_CLAIM_CONFIRMED },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_claim_stamp stamps[10];
        float claims[10];
        double scratch[10];

        print_message("  case: %s\n", rows[i].what);
        for (size_t k = 0; k < 10; k++) {
            bool late = k < rows[i].n_late;

            claims[k] = rows[i].claim_ns;
            stamps[k] = (struct osw_claim_stamp){
                late ? rows[i].late_ns : rows[i].wall_ns, late};
        }
        assert_int_equal(osw_claim_judge_stamped(claims, stamps, rows[i].n, 300,
                                                 rows[i].held_known, scratch),
                         rows[i].want);
    }
}

static void a_clock_is_false_by_most_of_its_blocks(void **state)
{
    static const struct {
        struct osw_claim_tally tally; /* confirmed, unclear, doubted, refuted */
        bool want;
    } rows[] = {
        {{0, 0, 0, 0}, false},    {{0, 0, 0, 5}, false},
        {{0, 0, 0, 6}, true},     {{0, 90, 0, 5}, false},
        {{0, 0, 11, 0}, false},   {{0, 0, 12, 0}, true},
        {{10, 0, 0, 20}, false},  {{1, 0, 0, 8}, true},
        {{10, 0, 10, 10}, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  row %zu\n", i);
        assert_int_equal(osw_claim_is_false(&rows[i].tally), rows[i].want);
    }
}

static void blocks_are_counted_by_verdict(void **state)
{
    struct osw_claim_tally t = {0};

    (void)state;
    osw_claim_count(&t, OSW_CLAIM_CONFIRMED);
    osw_claim_count(&t, OSW_CLAIM_UNCLEAR);
    osw_claim_count(&t, OSW_CLAIM_REFUTED);
    osw_claim_count(&t, OSW_CLAIM_REFUTED);
    assert_int_equal(t.confirmed, 1);
    assert_int_equal(t.unclear, 1);
    assert_int_equal(t.doubted, 0);
    assert_int_equal(t.refuted, 2);
    assert_int_equal(osw_claim_blocks(&t), 4);
}

static void calls_take_what_either_account_says(void **state)
{
    const struct osw_claim_beside beside = {50 * US, 40 * US, 30 * US};
    struct osw_claim_account a = {.wall_ns = 5050 * US,
                                  .held_ns = 3000 * US,
                                  .cpu_ns = 1040 * US,
                                  .held_known = true};

    (void)state;
    assert_true(osw_claim_least_ns(&beside, &a, 1) == 2010 * US);
    a.held_ns = 4900 * US;
    assert_true(osw_claim_least_ns(&beside, &a, 1) == 1010 * US);
    assert_true(osw_claim_least_ns(&beside, &a, 2) == 505 * US);
    a.held_known = false;
    assert_true(osw_claim_least_ns(&beside, &a, 1) == 1010 * US);
}

static void copies_take_time(void **state)
{
    (void)state;
    assert_true(osw_claim_copy_ns(0) == 0);
    assert_true(osw_claim_copy_ns(16 << 20) > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_by_table),
        cmocka_unit_test(stamped_verdicts_by_table),
        cmocka_unit_test(a_clock_is_false_by_most_of_its_blocks),
        cmocka_unit_test(blocks_are_counted_by_verdict),
        cmocka_unit_test(calls_take_what_either_account_says),
        cmocka_unit_test(copies_take_time),
    };

    return cmocka_run_group_tests_name("worker/claim", tests, NULL, NULL);
}
