/* tests/unit/worker/test_samples.c - statistics of timed samples */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "worker/judge/inputs/philox.h"
#include "worker/judge/timing/samples.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- one series --- */

static const struct {
    const char *what;
    double v[8];
    size_t n;
    double min, q1, median, q3, max, mean, mad;
} cases[] = {
    /* clang-format off */
    { "one sample",   { 7 },                      1, 7, 7,    7,    7,    7,    7,      0 },
    { "even count",   { 4, 1, 3, 2 },             4, 1, 1.75, 2.5,  3.25, 4,    2.5,    1 },
    { "odd count",    { 5, 1, 9 },                3, 1, 3,    5,    7,    9,    5,      4 },
    { "an outlier",   { 10, 11, 12, 1000 },       4, 10, 10.75, 11.5, 259, 1000, 258.25, 1 },
    { "all equal",    { 5, 5, 5 },                3, 5, 5,    5,    5,    5,    5,      0 },
    { "two heaps",    { 1, 1, 1, 9, 9 },          5, 1, 1,    1,    9,    9,    4.2,    0 },
    { "lopsided",     { 0, 1, 2, 4, 8, 16, 32 },  7, 0, 1.5,  4,    12,   32,   9,      4 },
    /* clang-format on */
};

static void summaries_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_summary s;
        double v[8];

        print_message("  case: %s\n", cases[i].what);
        memcpy(v, cases[i].v, sizeof(v));
        osw_samples_summarize(v, cases[i].n, &s);
        assert_int_equal(s.n, cases[i].n);
        assert_true(s.min == cases[i].min);
        assert_true(s.q1 == cases[i].q1);
        assert_true(s.median == cases[i].median);
        assert_true(s.q3 == cases[i].q3);
        assert_true(s.max == cases[i].max);
        assert_true(s.mean == cases[i].mean);
        assert_true(s.mad == cases[i].mad);
    }
}

/* The samples of quick rounds outnumber those of slow ones. */
static void a_median_over_rounds_is_within_its_interval(void **state)
{
    static const double blocks[] = {10, 10, 30, 32, 30, 30, 29,
                                    31, 30, 34, 33, 31, 11, 9};
    struct osw_summary s = {.min = 9, .median = 10, .mad = 1};
    double room[7];

    (void)state;
    osw_samples_over_rounds(blocks, 7, room, &s);
    assert_true(s.median == 30 && s.ci_lo == 10 && s.ci_hi == 32);
    assert_true(s.min == 9 && s.mad == 1);
    osw_samples_over_rounds(blocks + 2, 1, room, &s);
    assert_true(s.median == 31 && isnan(s.ci_lo) && isnan(s.ci_hi));
}

static void nothing_has_no_summary(void **state)
{
    struct osw_summary s;

    (void)state;
    osw_samples_summarize(NULL, 0, &s);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.min) && isnan(s.median) && isnan(s.mean) &&
                isnan(s.mad) && isnan(s.ci_lo) && isnan(s.ci_hi));
}

/* From tables of the binomial distribution. */
static const struct {
    size_t n, lo, hi;
} ranks[] = {
    {6, 1, 6},    {7, 1, 7},     {8, 1, 8},      {9, 2, 8},        {10, 2, 9},
    {15, 4, 12},  {20, 6, 15},   {25, 8, 18},    {30, 10, 21},     {50, 18, 33},
    {51, 19, 33}, {100, 40, 61}, {200, 86, 115}, {1000, 469, 532},
};

static void ranks_are_those_of_the_binomial_distribution(void **state)
{
    size_t lo, hi;

    (void)state;
    for (size_t n = 0; n < 6; n++)
        assert_false(osw_samples_median_ranks(n, &lo, &hi));
    for (size_t i = 0; i < N_ELEM(ranks); i++) {
        assert_true(osw_samples_median_ranks(ranks[i].n, &lo, &hi));
        assert_int_equal(lo, ranks[i].lo);
        assert_int_equal(hi, ranks[i].hi);
    }
    assert_true(osw_samples_median_ranks(1000000, &lo, &hi));
    assert_true(lo > 499000 && lo < 499030 && hi == 1000001 - lo);
}

static void intervals_are_the_samples_of_those_ranks(void **state)
{
    struct osw_summary s;
    double v[20];

    (void)state;
    for (int i = 0; i < 20; i++)
        v[i] = (double)(i * 7 % 20 + 101); /* 101 .. 120 shuffled */
    osw_samples_summarize(v, 20, &s);
    assert_true(s.ci_lo == 106 && s.ci_hi == 115);
    assert_true(s.median == 110.5);
    osw_samples_summarize(v, 5, &s);
    assert_true(isnan(s.ci_lo) && isnan(s.ci_hi));
}

/* --- two series --- */

static void a_constant_ratio_is_found_without_doubt(void **state)
{
    double baseline[20], candidate[20];
    struct osw_speedup s;

    (void)state;
    for (int i = 0; i < 20; i++) {
        candidate[i] = 100 + i % 2;
        baseline[i] = 2 * candidate[i];
    }
    osw_samples_speedup(baseline, candidate, 10, &s);
    assert_int_equal(s.n_quads, 10);
    assert_true(fabs(s.ratio - 2) < 1e-12);
    assert_true(fabs(s.lo - 2) < 1e-12 && fabs(s.hi - 2) < 1e-12);
}

/* Log ratios 1 .. 6 percent: the pair means range from 1 to 6, their median
 * is 3.5, and of 6 quads nothing can be left out.
 */
static void six_quads_are_bounded_by_their_extremes(void **state)
{
    double baseline[12], candidate[12];
    struct osw_speedup s;

    (void)state;
    for (int i = 0; i < 6; i++) {
        candidate[2 * i] = candidate[2 * i + 1] = 1000;
        baseline[2 * i] = baseline[2 * i + 1] = 1000 * exp(0.01 * (i + 1));
    }
    osw_samples_speedup(baseline, candidate, 6, &s);
    assert_true(fabs(log(s.ratio) - 0.035) < 1e-12);
    assert_true(fabs(log(s.lo) - 0.01) < 1e-12);
    assert_true(fabs(log(s.hi) - 0.06) < 1e-12);
    osw_samples_speedup(baseline, candidate, 5, &s);
    assert_true(fabs(log(s.ratio) - 0.03) < 1e-12);
    assert_true(isnan(s.lo) && isnan(s.hi));
    osw_samples_speedup(baseline, candidate, 0, &s);
    assert_true(isnan(s.ratio) && isnan(s.lo) && isnan(s.hi));
}

/* 10 quads: Wilcoxon's table gives 8, so the 9th pair mean from either end
 * bounds the interval.
 */
static void ten_quads_leave_out_what_wilcoxons_table_says(void **state)
{
    double baseline[20], candidate[20], d[10], means[55];
    struct osw_speedup s;
    size_t m = 0;

    (void)state;
    for (int i = 0; i < 10; i++) {
        d[i] = 0.001 * (1 << i);
        candidate[2 * i] = candidate[2 * i + 1] = 1;
        baseline[2 * i] = baseline[2 * i + 1] = exp(d[i]);
    }
    for (int i = 0; i < 10; i++)
        for (int j = i; j < 10; j++)
            means[m++] = (d[i] + d[j]) / 2;
    osw_samples_sort(means, m);
    osw_samples_speedup(baseline, candidate, 10, &s);
    assert_true(fabs(log(s.lo) - means[8]) < 1e-12);
    assert_true(fabs(log(s.hi) - means[55 - 9]) < 1e-12);
}

static void drift_that_is_linear_cancels(void **state)
{
    double baseline[40], candidate[40];
    struct osw_speedup s;

    (void)state;
    for (int q = 0; q < 20; q++) {
        double t = 0.01 * 4 * q; /* log time: 1 % more each block */

        baseline[2 * q] = exp(t);
        candidate[2 * q] = exp(t + 0.01);
        candidate[2 * q + 1] = exp(t + 0.02);
        baseline[2 * q + 1] = exp(t + 0.03);
    }
    osw_samples_speedup(baseline, candidate, 20, &s);
    assert_true(fabs(s.ratio - 1) < 1e-12);
    assert_true(s.hi - s.lo < 1e-12);
}

static void many_quads_are_gathered(void **state)
{
    enum { QUADS = 5000 };
    static double baseline[2 * QUADS], candidate[2 * QUADS];
    struct osw_speedup s;

    (void)state;
    for (int i = 0; i < 2 * QUADS; i++) {
        candidate[i] = 100;
        baseline[i] = 130 + (i / 2) % 3; /* 130, 131, 132 in turn */
    }
    osw_samples_speedup(baseline, candidate, QUADS, &s);
    assert_int_equal(s.n_quads, QUADS);
    assert_true(fabs(s.ratio - 1.31) < 1e-9);
    assert_true(s.lo > 1.309 && s.hi < 1.311);
}

/* --- how often the interval is right --- */

/* A stream of random numbers for one trial. */
struct noise {
    uint64_t trial, at;
    double slow;  /* autoregressive part */
    double drift; /* per block */
};

static double draw_uniform(struct noise *n)
{
    return ((double)osw_philox_element(42, 0, (uint32_t)n->trial, n->at++)
                .w[0] +
            0.5) *
           0x1p-32;
}

static double draw_normal(struct noise *n)
{
    double r = sqrt(-2 * log(draw_uniform(n)));

    return r * cos(6.283185307179586 * draw_uniform(n));
}

/* Which kinds of noise a block's log time has. */
enum { SHAKE = 1, DRIFT = 2, WANDER = 4, OUTLIERS = 8 };

static double block_noise(struct noise *n, int kinds, int i)
{
    double x = 0.005 * draw_normal(n);

    if (kinds & DRIFT)
        x += n->drift * i;
    if (kinds & WANDER) {
        n->slow = 0.9 * n->slow + 0.01 * draw_normal(n);
        x += n->slow;
    }
    if (kinds & OUTLIERS && draw_uniform(n) < 0.05)
        x -= 0.3 * log(draw_uniform(n)); /* 35 % on average, upwards */
    return x;
}

/* Quads in random order; the candidate takes 1 / ratio of the time. */
static struct osw_speedup one_trial(uint64_t trial, int kinds, size_t n_quads,
                                    double ratio)
{
    double baseline[2 * 64], candidate[2 * 64];
    struct noise n = {.trial = trial};
    struct osw_speedup s;

    n.slow = 0.01 / sqrt(1 - 0.81) * draw_normal(&n);
    n.drift = 0.002 * draw_normal(&n);
    for (size_t q = 0; q < n_quads; q++) {
        bool reverse = draw_uniform(&n) < 0.5;
        double t[4];

        for (int i = 0; i < 4; i++)
            t[i] = 1e6 * exp(block_noise(&n, kinds, (int)q * 4 + i));
        baseline[2 * q] = ratio * t[reverse ? 1 : 0];
        baseline[2 * q + 1] = ratio * t[reverse ? 2 : 3];
        candidate[2 * q] = t[reverse ? 0 : 1];
        candidate[2 * q + 1] = t[reverse ? 3 : 2];
    }
    osw_samples_speedup(baseline, candidate, n_quads, &s);
    return s;
}

static void intervals_hold_the_truth_as_often_as_they_claim(void **state)
{
    enum { TRIALS = 2000 };
    static const int kinds[] = {SHAKE, SHAKE | DRIFT, SHAKE | DRIFT | WANDER,
                                SHAKE | DRIFT | WANDER | OUTLIERS};
    static const size_t quads[] = {8, 12, 30};

    (void)state;
    for (size_t k = 0; k < N_ELEM(kinds); k++)
        for (size_t q = 0; q < N_ELEM(quads); q++) {
            double ratio = q == 1 ? 1.25 : 1; /* equal code, and not */
            double width = 0;
            int held = 0;

            for (uint64_t trial = 0; trial < TRIALS; trial++) {
                struct osw_speedup s =
                    one_trial(trial, kinds[k], quads[q], ratio);

                held += s.lo <= ratio && ratio <= s.hi;
                width += (s.hi - s.lo) / 2 / ratio / TRIALS;
            }
            print_message("  noise %2d, %2zu quads: %.1f %% held, half width "
                          "%.2f %%\n",
                          kinds[k], quads[q], 100.0 * held / TRIALS,
                          100 * width);
            assert_true(held >= 0.93 * TRIALS);
            assert_true(held <= 0.985 * TRIALS); /* nor is it too wide */
        }
}

static void a_difference_of_5_percent_is_seen_through_outliers(void **state)
{
    enum { TRIALS = 500 };
    int seen = 0;

    (void)state;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct osw_speedup s =
            one_trial(trial, SHAKE | DRIFT | WANDER | OUTLIERS, 30, 1.05);

        seen += s.lo > 1;
    }
    assert_true(seen >= 0.95 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_those_worked_out_by_hand),
        cmocka_unit_test(a_median_over_rounds_is_within_its_interval),
        cmocka_unit_test(nothing_has_no_summary),
        cmocka_unit_test(ranks_are_those_of_the_binomial_distribution),
        cmocka_unit_test(intervals_are_the_samples_of_those_ranks),
        cmocka_unit_test(a_constant_ratio_is_found_without_doubt),
        cmocka_unit_test(six_quads_are_bounded_by_their_extremes),
        cmocka_unit_test(ten_quads_leave_out_what_wilcoxons_table_says),
        cmocka_unit_test(drift_that_is_linear_cancels),
        cmocka_unit_test(many_quads_are_gathered),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_claim),
        cmocka_unit_test(a_difference_of_5_percent_is_seen_through_outliers),
    };

    return cmocka_run_group_tests_name("worker/samples", tests, NULL, NULL);
}
