/* tests/unit/results/test_stats.c - tails, intervals, and many tests at once
 *
 * Noise comes from a generator of its own from fixed seeds: counts are what
 * they are, and bounds lie above them by several deviations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/compare/stats.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed = 88172645463325252U;

static double unit(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(unit())) * cos(6.283185307179586 * unit());
}

/* Student's t of 3 degrees of freedom. */
static double tailed(void)
{
    double a = normal(), b = normal(), c = normal();

    return normal() / sqrt((a * a + b * b + c * c) / 3);
}

static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

/* df 1 and 2 have closed forms: 1/2 - atan(t) / pi, 1/2 - t / 2 sqrt(2 + t^2);
 * quantiles by the tables in Abramowitz and Stegun, 26.10.
 */
static void tails_of_student_are_those_of_the_tables(void **state)
{
    static const struct {
        double p, df, t;
    } table[] = {{0.025, 1, 12.7062},  {0.025, 2, 4.30265},
                 {0.025, 4, 2.77645},  {0.05, 10, 1.81246},
                 {0.025, 30, 2.04227}, {0.0005, 3, 12.924},
                 {0.025, 1e6, 1.95997}};

    (void)state;
    for (double t = -20; t <= 20; t += 0.5) {
        assert_true(fabs(osw_stats_t_tail(t, 1) -
                         (0.5 - atan(t) / 3.14159265358979)) < 1e-9);
        assert_true(fabs(osw_stats_t_tail(t, 2) -
                         (0.5 - t / (2 * sqrt(2 + t * t)))) < 1e-9);
    }
    for (size_t i = 0; i < N_ELEM(table); i++) {
        assert_true(near(osw_stats_t_quantile(table[i].p, table[i].df),
                         table[i].t, 2e-5));
        assert_true(
            near(osw_stats_t_tail(table[i].t, table[i].df), table[i].p, 1e-3));
    }
    assert_true(fabs(osw_stats_t_quantile(0.5, 3)) < 1e-9);
    assert_true(near(osw_stats_t_quantile(0.975, 4), -2.77645, 2e-5));
    assert_true(osw_stats_t_tail(1e9, 3) > 0);
}

/* 1 2 3 4: mean 2.5, deviation sqrt(5 / 3), t = 3.18245. */
static void intervals_of_means_are_students(void **state)
{
    static const float x[] = {1, 2, 3, 4};
    static const double sums[] = {3, 0, 7}, counts[] = {2, 0, 2};
    struct osw_stats_mean m = osw_stats_mean(x, 4, 0.95);

    (void)state;
    assert_true(near(m.mean, 2.5, 1e-9));
    assert_true(near(m.half, 3.18245 * sqrt(5.0 / 3 / 4), 1e-5));
    m = osw_stats_mean(x, 1, 0.95);
    assert_true(m.mean == 1 && isnan(m.half));
    m = osw_stats_mean(x, 0, 0.95);
    assert_true(isnan(m.mean) && isnan(m.half));
    /* Clusters (1 2) and (3 4): residuals -2 and 2, 2 / 1 * 8 / 16. */
    m = osw_stats_clustered(sums, counts, 3, 0.95);
    assert_true(near(m.mean, 2.5, 1e-9));
    assert_true(near(m.half, 12.7062 * 1, 1e-5));
    m = osw_stats_clustered(sums, counts, 1, 0.95);
    assert_true(m.mean == 1.5 && isnan(m.half));
}

/* Deviation sqrt(5 / 3) of four: one more lies within t sqrt(5 / 4) of them. */
static void one_more_value_lies_in_students_interval(void **state)
{
    static const float x[] = {1, 2, 3, 4};

    (void)state;
    assert_true(near(osw_stats_next(x, 4, 0, 0.95),
                     3.18245 * sqrt(5.0 / 3 * 5 / 4), 1e-5));
    assert_true(
        near(osw_stats_next(x, 4, 2, 0.95), 3.18245 * 2 * sqrt(1.25), 1e-5));
    assert_true(
        near(osw_stats_next(x, 2, 2, 0.95), 12.7062 * 2 * sqrt(1.5), 1e-5));
}

/* 20 clusters of 30 that share half of their variance: an interval that takes
 * cells for independent would miss the truth in half of the cases.
 */
static void clustered_intervals_hold_the_truth(void **state)
{
    enum { TRIES = 1000, CLUSTERS = 20, CELLS = 30 };
    unsigned held = 0;

    (void)state;
    for (int i = 0; i < TRIES; i++) {
        double sums[CLUSTERS] = {0}, counts[CLUSTERS];
        struct osw_stats_mean m;

        for (int k = 0; k < CLUSTERS; k++) {
            double common = normal();

            counts[k] = CELLS;
            for (int j = 0; j < CELLS; j++)
                sums[k] += 7 + common + normal();
        }
        m = osw_stats_clustered(sums, counts, CLUSTERS, 0.95);
        held += fabs(m.mean - 7) <= m.half;
    }
    print_message("  95 %% intervals: %u of %d hold the truth\n", held, TRIES);
    assert_true(held >= 915 && held <= 980);
}

static void sameness_is_shown_not_assumed(void **state)
{
    (void)state;
    assert_true(osw_stats_same(0.01, 0.05, 0.1));
    assert_true(osw_stats_same(-0.04, 0.05, 0.1));
    assert_false(osw_stats_same(0.06, 0.05, 0.1)); /* may be 11 % */
    assert_false(osw_stats_same(0, 0.2, 0.1));     /* not known */
    assert_false(osw_stats_same(0, NAN, 0.1));
    assert_false(osw_stats_same(NAN, 0.01, 0.1));
}

/* What differs by the margin is called the same in at most 5 %. */
static void tests_of_equivalence_keep_their_level(void **state)
{
    enum { TRIES = 4000, N = 5 };
    unsigned wrong = 0, right = 0;

    (void)state;
    for (int i = 0; i < TRIES; i++) {
        float x[N];
        struct osw_stats_mean m;

        for (int k = 0; k < N; k++)
            x[k] = (float)(0.02 * normal());
        m = osw_stats_mean(x, N, 0.90);
        right += osw_stats_same(m.mean, m.half, 0.1);
        wrong += osw_stats_same(m.mean + 0.1, m.half, 0.1);
    }
    print_message("  same: %u of %d that are, %u of %d at the margin\n", right,
                  TRIES, wrong, TRIES);
    assert_true(right > TRIES * 95 / 100);
    assert_true(wrong < TRIES * 65 / 1000);
}

/* Benjamini and Hochberg's own example, q = 0.05: the first four of 15. */
static void many_p_values_are_tested_together(void **state)
{
    double p[] = {0.0459, 0.0001, 1.0000, 0.0019, 0.0201,
                  0.0278, 0.0298, 0.0344, 0.0095, 0.3240,
                  0.4262, 0.5719, 0.6528, 0.7590, 0.0004};
    double none[] = {0.5, 0.06, 0.9};

    (void)state;
    assert_true(near(osw_stats_bh(p, N_ELEM(p), 0.05), 0.05 * 4 / 15, 1e-12));
    assert_true(osw_stats_bh(none, 3, 0.05) == 0);
    assert_true(osw_stats_bh(none, 0, 0.05) == 0);
}

/* Of 4 at 0.05: one needs 80, two need 40 each, four 20. */
static void many_e_values_are_tested_together(void **state)
{
    double one[] = {1, 81, 2, 0}, two[] = {41, 0, 47, 3},
           few[] = {39, 39, 1, 0};
    double all[] = {20, 21, 22, 23};

    (void)state;
    assert_true(osw_stats_ebh(one, 4, 0.05) == 81);
    assert_true(osw_stats_ebh(two, 4, 0.05) == 41);
    assert_true(isinf(osw_stats_ebh(few, 4, 0.05)));
    assert_true(osw_stats_ebh(all, 4, 0.05) == 20);
    assert_true(isinf(osw_stats_ebh(all, 0, 0.05)));
    assert_int_equal(osw_stats_bets_for(1), 0);
    assert_int_equal(osw_stats_bets_for(20), 5);   /* 1.9^5 = 24.8 */
    assert_int_equal(osw_stats_bets_for(1e4), 15); /* 1.9^15 = 15181 */
}

/* 200 nights of 500 suspicions that are none, each stopped as soon as it has
 * what one alone needs; in every other night 20 beside them that are changed by
 * four deviations: they are found, and few others.
 */
static void bets_hold_the_share_of_false_findings(void **state)
{
    enum { NIGHTS = 200, NULLS = 500, TRUE = 20, ROUNDS = 40 };
    unsigned red = 0, found = 0, missed = 0;
    double share = 0;

    (void)state;
    for (int night = 0; night < NIGHTS; night++) {
        double e[NULLS + TRUE], sorted[NULLS + TRUE], least;
        unsigned wrong = 0, right = 0;
        int n = NULLS + (night % 2 ? TRUE : 0);

        for (int i = 0; i < n; i++) {
            e[i] = 1;
            for (int k = 0; k < ROUNDS && e[i] < n / 0.05; k++) {
                double d = tailed() - tailed() + (i < NULLS ? 0 : 4);

                e[i] = osw_stats_bet(e[i], d > 0);
            }
            sorted[i] = e[i];
        }
        least = osw_stats_ebh(sorted, (size_t)n, 0.05);
        for (int i = 0; i < n; i++) {
            wrong += i < NULLS && e[i] >= least;
            right += i >= NULLS && e[i] >= least;
        }
        red += night % 2 == 0 && wrong > 0;
        found += right;
        missed += night % 2 ? TRUE - right : 0;
        share += wrong && night % 2 ? (double)wrong / (wrong + right) : 0;
    }
    print_message("  nights with a false finding: %u of %d; planted: %u found, "
                  "%u missed, %.3f of findings false\n",
                  red, NIGHTS / 2, found, missed, share / (NIGHTS / 2));
    assert_true(red <= 12);
    assert_true(share / (NIGHTS / 2) < 0.08);
    assert_true(found > 9 * missed);
}

/* n = 2: 1 + rho; rho 0.6 and many: (1 + rho) / (1 - rho) = 4. */
static void correlated_points_say_less(void **state)
{
    (void)state;
    assert_true(osw_stats_inflation(10, 0) == 1);
    assert_true(near(osw_stats_inflation(1, 0.9), 1, 1e-12));
    assert_true(near(osw_stats_inflation(2, 0.6), 1.6, 1e-12));
    assert_true(near(osw_stats_inflation(10000, 0.6), 4, 1e-3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_of_student_are_those_of_the_tables),
        cmocka_unit_test(intervals_of_means_are_students),
        cmocka_unit_test(one_more_value_lies_in_students_interval),
        cmocka_unit_test(clustered_intervals_hold_the_truth),
        cmocka_unit_test(sameness_is_shown_not_assumed),
        cmocka_unit_test(tests_of_equivalence_keep_their_level),
        cmocka_unit_test(many_p_values_are_tested_together),
        cmocka_unit_test(many_e_values_are_tested_together),
        cmocka_unit_test(bets_hold_the_share_of_false_findings),
        cmocka_unit_test(correlated_points_say_less),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
