/* tests/unit/worker/test_device_clock.c - claims of a device's times against
 * the judge's clock */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/timing/device_clock.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { N = 10 };

/* Add pairs until there is a verdict. */
static enum osw_claim_verdict
settle(struct osw_device_clock *c, double claim_ns,
       const struct osw_device_clock_pair pairs[N])
{
    enum osw_claim_verdict verdict = OSW_CLAIM_UNCLEAR;

    c->least_ns = INFINITY;
    for (int k = 0; k < N && verdict == OSW_CLAIM_UNCLEAR; k++)
        verdict = osw_device_clock_add(c, claim_ns, &pairs[k]);
    return verdict;
}

/* Other work on the device in one of the requests shows in their ratio. */
static void pairs_that_count(void **state)
{
    static const struct {
        const char *what;
        double once, thrice;
        bool want;
    } rows[] = {
        {"calls alone", 300, 900, true},
        {"a request costs 100", 400, 1000, true},
        {"other work in the shorter one", 700, 900, false},
        {"more than in the longer one", 950, 900, false},
        {"other work in the longer one", 300, 1200, false},
        {"nothing at all", 0, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s\n", rows[i].what);
        assert_int_equal(
            osw_device_clock_is_steady(rows[i].once, rows[i].thrice),
            rows[i].want);
    }
}

static void verdicts_by_table(void **state)
{
    static const struct {
        const char *what;
        double claim_ns, call_ns[N]; /* 0: a pair that does not count; below:
                                        while the device is crowded; a half
                                        more: with waits for a core */
        enum osw_claim_verdict want;
        int want_pairs;
    } rows[] = {
        {"true", 1000, {1010}, OSW_CLAIM_CONFIRMED, 1},
        {"disturbed at first",
         1000,
         {5000, 4000, 1900},
         OSW_CLAIM_CONFIRMED,
         3},
        {"crowded, and true", 1000, {-1900}, OSW_CLAIM_CONFIRMED, 1},
        {"a third", 1000, {3000, 3000, 3100, 2900, 3000}, OSW_CLAIM_REFUTED, 5},
        {"a third, disturbed",
         1000,
         {0, 3000, 0, 3000, -9000, 3100, 2900, 3000},
         OSW_CLAIM_REFUTED,
         8},
        {"no pair counts", 1000, {0}, OSW_CLAIM_UNCLEAR, N},
        {"too few can", 1000, {0, 3000, 3000, 0, 3000}, OSW_CLAIM_UNCLEAR, N},
        {"held, and true",
         1000,
         {1000.5, 1000.5, 1000.5, 1000.5, 1000.5},
         OSW_CLAIM_CONFIRMED,
         5},
        {"held, and a third, half of them by chance too little",
         1000,
         {1000.5, 1000.5, 3000.5, 1000.5, 3000.5, 1000.5, 3000.5, 1000.5,
          3000.5, 1000.5},
         OSW_CLAIM_UNCLEAR,
         N},
        {"held, and a third",
         1000,
         {3000.5, 1000.5, 3000.5, 3000.5, 3000.5, 1000.5, 3000.5, 3000.5,
          3000.5, 3000.5},
         OSW_CLAIM_UNCLEAR,
         N},
        {"held, and an eighth",
         1000,
         {8000.5, 1000.5, 8000.5, 0, 5000.5, 8000.5, 8000.5},
         OSW_CLAIM_REFUTED,
         7},
        {"held and crowded, and an eighth",
         1000,
         {-8000.5, -8000.5, -8000.5, -8000.5, -8000.5, -8000.5, -8000.5,
          -8000.5, -8000.5, -8000.5},
         OSW_CLAIM_UNCLEAR,
         N},
        {"held, and true, but for a few",
         1000,
         {8000.5, 1000.5, 8000.5, 1000.5, 1000.5, 1000.5, 1000.5, 1000.5,
          1000.5},
         OSW_CLAIM_CONFIRMED,
         9},
        {"held now and then, and a third",
         1000,
         {3000, 1000.5, 3000, 3000, 3000.5, 3000, 3000},
         OSW_CLAIM_REFUTED,
         7},
        {"always crowded",
         1000,
         {-3000, -3000, -3000, -3000, -3000, -3000, -3000, -3000, -3000, -3000},
         OSW_CLAIM_UNCLEAR,
         N},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_device_clock c = {.n_pairs = 0};
        struct osw_device_clock_pair pairs[N];

        print_message("  %s\n", rows[i].what);
        for (int k = 0; k < N; k++)
            pairs[k] = (struct osw_device_clock_pair){
                .call_ns = fabs(rows[i].call_ns[k]),
                .own_ns = INFINITY,
                .steady = rows[i].call_ns[k] != 0,
                .crowded = rows[i].call_ns[k] < 0,
                .held = fmod(rows[i].call_ns[k], 1) != 0};
        assert_int_equal(settle(&c, rows[i].claim_ns, pairs), rows[i].want);
        assert_int_equal(c.n_pairs, rows[i].want_pairs);
    }
}

/* What samples without calls take off makes a pair uncertain. */
static void one_restored_pair_confirms_nothing(void **state)
{
    static const struct {
        double call_ns[N];
        enum osw_claim_verdict want;
        int want_pairs;
    } rows[] = {
        {{1010, 1010, 1010}, OSW_CLAIM_CONFIRMED, 3},
        {{1010, 4000, 1010, 1010, 1010}, OSW_CLAIM_CONFIRMED, 5},
        {{1010, 4000, 1010, 4000, 4000, 4000, 4000}, OSW_CLAIM_REFUTED, 7},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_device_clock c = {.n_pairs = 0};
        struct osw_device_clock_pair pairs[N];

        for (int k = 0; k < N; k++)
            pairs[k] =
                (struct osw_device_clock_pair){.call_ns = rows[i].call_ns[k],
                                               .own_ns = INFINITY,
                                               .steady = true,
                                               .restored = true};
        assert_int_equal(settle(&c, 1000, pairs), rows[i].want);
        assert_int_equal(c.n_pairs, rows[i].want_pairs);
    }
}

/* A claim from calls in which ranks slept covers no false clock in others. */
static void what_a_pair_itself_claims_counts(void **state)
{
    static const struct {
        double claim_ns, call_ns, own_ns;
        enum osw_claim_verdict want;
        double want_claim_ns;
    } rows[] = {
        {2180, 2400, 2390, OSW_CLAIM_CONFIRMED, 0},
        {2180, 2400, 300, OSW_CLAIM_REFUTED, 300},
        {300, 2400, 2390, OSW_CLAIM_REFUTED, 300},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_device_clock c = {.n_pairs = 0};
        struct osw_device_clock_pair pairs[N];

        for (int k = 0; k < N; k++)
            pairs[k] =
                (struct osw_device_clock_pair){.call_ns = rows[i].call_ns,
                                               .own_ns = rows[i].own_ns,
                                               .steady = true};
        assert_int_equal(settle(&c, rows[i].claim_ns, pairs), rows[i].want);
        assert_true(c.claim_ns == rows[i].want_claim_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_count),
        cmocka_unit_test(verdicts_by_table),
        cmocka_unit_test(one_restored_pair_confirms_nothing),
        cmocka_unit_test(what_a_pair_itself_claims_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
