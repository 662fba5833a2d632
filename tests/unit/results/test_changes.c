/* tests/unit/results/test_changes.c - steps, drifts, places; and none of them
 *
 * Noise comes from a generator of its own from fixed seeds: counts are what
 * they are, and bounds are a little above.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "results/history/changes.h"

enum { MOST = 200 };

struct fixture {
    uint64_t seed;
    uint32_t when[MOST], place[MOST];
    float x[MOST], scratch[MOST];
    struct osw_changes_series s;
    struct osw_changes_segment seg[OSW_CHANGES_MAX_SEGMENTS];
    struct osw_changes_place off[OSW_CHANGES_MAX_PLACES];
    double rho; /* that is reckoned with */
    double p;   /* of the last cut */
};

static double unit(struct fixture *f)
{
    f->seed ^= f->seed << 13;
    f->seed ^= f->seed >> 7;
    f->seed ^= f->seed << 17;
    return ((double)(f->seed >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct fixture *f)
{
    return sqrt(-2 * log(unit(f))) * cos(6.283185307179586 * unit(f));
}

/* Student's t of 3 degrees of freedom, scaled to a deviation of about 1. */
static double tailed(struct fixture *f)
{
    double a = normal(f), b = normal(f), c = normal(f);

    return normal(f) / sqrt((a * a + b * b + c * c) / 3) / 1.7;
}

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    f.seed = 88172645463325252U;
    f.s = (struct osw_changes_series){
        .when = f.when, .place = f.place, .x = f.x, .scratch = f.scratch};
    *state = &f;
    return 0;
}

/* n points of that noise, one place, a campaign each. */
static void draw(struct fixture *f, size_t n, double noise, bool tails)
{
    f->s.n = n;
    for (size_t i = 0; i < n; i++) {
        f->when[i] = (uint32_t)i;
        f->place[i] = 7;
        f->x[i] = (float)(11 + noise * (tails ? tailed(f) : normal(f)));
    }
}

/* The same, of neighbours that correlate by rho; a step from point `at` on. */
static void draw_alike(struct fixture *f, size_t n, double noise, double rho,
                       bool tails, double step, size_t at)
{
    double rest = sqrt(1 - rho * rho), x = 0;

    f->s.n = n;
    for (size_t i = 0; i < n + 30; i++) { /* the first 30 settle it */
        x = rho * x + rest * (tails ? tailed(f) : normal(f));
        if (i < 30)
            continue;
        f->when[i - 30] = (uint32_t)i;
        f->place[i - 30] = 7;
        f->x[i - 30] = (float)(11 + noise * x + (i - 30 >= at ? step : 0));
    }
}

static size_t cut(struct fixture *f, double prior, double least)
{
    struct osw_changes_noise noise = {
        .sigma = osw_changes_sigma(&f->s, prior, f->rho, NULL),
        .rho = f->rho,
        .prior = prior,
    };

    return osw_changes_segments(&f->s, &noise, least, &f->p, f->seg);
}

/* Two points are no step, with a good one before them neither; three are, where
 * they begin.
 */
static void two_bad_campaigns_at_the_end_are_no_step(void **state)
{
    struct fixture *f = *state;

    for (size_t bad = 1; bad <= 3; bad++) {
        draw(f, 20, 0.003, false);
        for (size_t i = 20 - bad; i < 20; i++)
            f->x[i] += 0.2F;
        assert_int_equal(cut(f, 0.003, 0.02), bad < 3 ? 1 : 2);
    }
    assert_int_equal(f->seg[1].first, 17);
    draw(f, 20, 0.003, false); /* and the first two */
    f->x[0] += 0.2F;
    f->x[1] += 0.2F;
    assert_int_equal(cut(f, 0.003, 0.02), 1);
}

static void noise_is_that_of_neighbours_and_steps_do_not_touch_it(void **state)
{
    /* |differences| 1 1 1 1 9 1 1 1 1 (median 1), of s = 1.4826 / sqrt(2). */
    static const float x[] = {0, 1, 0, 1, 0, 9, 8, 9, 8, 9};
    struct fixture *f = *state;
    double own = 1.4826 / sqrt(2);
    size_t n;

    draw(f, 10, 0, false);
    memcpy(f->x, x, sizeof(x));
    assert_true(fabs(osw_changes_sigma(&f->s, 0, 0, &n) - own * (1 + 1 / 9.0)) <
                1e-6);
    assert_int_equal(n, 9);
    assert_true(fabs(osw_changes_sigma(&f->s, 2 * own, 0, NULL) -
                     own * sqrt((9 + 5 * 4) / 14.0) * (1 + 1 / 9.0)) < 1e-6);
    f->s.n = 3; /* 0 1 9: two differences, of which one may be a step */
    f->x[2] = 9;
    assert_true(fabs(osw_changes_sigma(&f->s, 0.25, 0, &n) -
                     0.25 * sqrt(5 / 7.0) * (1 + 1 / 2.0)) < 1e-6);
    assert_int_equal(n, 2);
    f->s.n = 1;
    assert_true(fabs(osw_changes_sigma(&f->s, 0.25, 0, &n) - 0.25) < 1e-9);
    assert_int_equal(n, 0);
}

static void noise_is_taken_on_one_place_where_there_is_enough(void **state)
{
    static const float x[] = {0, 0.1F, 5, 5.1F, 0, 0.1F, 5, 5.1F};
    struct fixture *f = *state;
    size_t n;

    draw(f, 8, 0, false);
    memcpy(f->x, x, sizeof(x));
    for (size_t i = 0; i < 8; i++)
        f->place[i] = (uint32_t)(i / 2 % 2);
    assert_true(osw_changes_sigma(&f->s, 0.1, 0, &n) < 0.2);
    assert_int_equal(n, 6); /* of each place's four points */
}

static void planted_steps_are_found_where_they_are(void **state)
{
    static const struct {
        size_t n, at;
        double noise, step;
    } cases[] = {
        {8, 5, 0.005, 0.05},  {20, 10, 0.01, 0.05}, {20, 17, 0.01, 0.10},
        {40, 3, 0.01, -0.10}, {100, 60, 0.02, 0.1}, {100, 97, 0.02, 0.2},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        draw(f, cases[i].n, cases[i].noise, false);
        for (size_t k = cases[i].at; k < cases[i].n; k++)
            f->x[k] += (float)cases[i].step;
        print_message("  case %zu\n", i);
        assert_int_equal(cut(f, cases[i].noise, 0.02), 2);
        assert_int_equal(f->seg[1].first, cases[i].at);
        assert_int_equal(f->seg[0].n, cases[i].at);
        assert_true(fabs(f->seg[1].level - f->seg[0].level - cases[i].step) <
                    3 * cases[i].noise);
        assert_false(f->seg[0].drifts || f->seg[1].drifts);
    }
}

static void two_steps_are_two(void **state)
{
    struct fixture *f = *state;

    draw(f, 40, 0.005, false);
    for (size_t k = 12; k < 25; k++)
        f->x[k] += 0.1F;
    assert_int_equal(cut(f, 0.005, 0.02), 3);
    assert_int_equal(f->seg[1].first, 12);
    assert_int_equal(f->seg[2].first, 25);
}

static void a_single_launch_gone_wrong_is_no_step(void **state)
{
    struct fixture *f = *state;

    for (size_t at = 0; at < 20; at++) {
        draw(f, 20, 0.005, false);
        f->x[at] += 0.5F;
        assert_int_equal(cut(f, 0.005, 0.02), 1);
    }
}

static void a_step_below_the_least_is_none(void **state)
{
    struct fixture *f = *state;

    draw(f, 20, 0.001, false);
    for (size_t k = 10; k < 20; k++)
        f->x[k] += 0.015F;
    assert_int_equal(cut(f, 0.001, 0.02), 1);
    assert_int_equal(cut(f, 0.001, 0.01), 2);
}

/* Whatever the least step is: the false alarms of the statistic alone, also
 * where little is known of such cells.
 */
static void noise_alone_is_cut_as_often_as_p_says(void **state)
{
    static const size_t lengths[] = {5, 8, 12, 20, 40, 100};
    enum { SERIES = 1000 };
    struct fixture *f = *state;
    size_t all = 0, all_sure = 0;

    for (int tails = 0; tails < 2; tails++)
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            size_t alarms = 0, sure = 0;

            for (int k = 0; k < SERIES; k++) {
                draw(f, lengths[i], 0.02, tails);
                alarms += cut(f, k % 2 ? 0.02 : 0.005, 0) > 1;
                sure += f->p < OSW_CHANGES_SURE;
            }
            print_message("  %s, %zu points: %zu of %d, %zu sure\n",
                          tails ? "tails" : "normal", lengths[i], alarms,
                          SERIES, sure);
            all += alarms;
            all_sure += sure;
            assert_true(alarms <= SERIES / 40);
        }
    assert_true(all <= 12 * SERIES / 100);
    assert_true(all_sure <= 12 * SERIES / 200);
}

/* 200 series of a history, with the correlation that these series show. */
struct night {
    size_t alarms, sure, found; /* found: of those with a step */
    double rho;                 /* mean of what was reckoned with */
    double smallest;            /* p */
};

static struct night take_night(struct fixture *f, size_t n_series, double rho,
                               bool tails, double step)
{
    enum { CAMPAIGNS = 20, AT = 12 };
    struct osw_changes_pairs all = {0}, own;
    struct night out = {.smallest = 1};
    uint64_t seed = f->seed;

    for (int judge = 0; judge < 2; judge++) {
        f->seed = seed;
        for (size_t k = 0; k < n_series; k++) {
            draw_alike(f, CAMPAIGNS, 0.02, rho, tails, step, AT);
            own = osw_changes_count_pairs(
                &f->s, judge ? &(struct osw_changes_pairs){0} : &all);
            if (!judge)
                continue;
            f->rho = osw_changes_rho(&all, &own);
            out.alarms += cut(f, 0.01, 0.02) > 1;
            out.sure += f->p < OSW_CHANGES_SURE;
            out.rho += f->rho / (double)n_series;
            out.smallest = fmin(out.smallest, f->p);
        }
    }
    return out;
}

/* 20 histories of 200 series each: 4,000 series, and 20 false steps allowed. */
static void campaigns_that_are_alike_make_no_steps(void **state)
{
    static const double rhos[] = {0, 0.3, 0.6};
    enum { NIGHTS = 20, SERIES = 200 };
    struct fixture *f = *state;

    for (int tails = 0; tails < 2; tails++)
        for (size_t i = 0; i < sizeof(rhos) / sizeof(rhos[0]); i++) {
            size_t sure = 0, alarms = 0;
            double rho = 0;

            for (int k = 0; k < NIGHTS; k++) {
                struct night n = take_night(f, SERIES, rhos[i], tails, 0);

                sure += n.sure;
                alarms += n.alarms;
                rho += n.rho / NIGHTS;
            }
            print_message("  %s, lag-1 %.1f (taken for %.2f): %zu of %d cut, "
                          "%zu (%.2f %%) sure\n",
                          tails ? "tails" : "normal", rhos[i], rho, alarms,
                          NIGHTS * SERIES, sure,
                          100.0 * (double)sure / (NIGHTS * SERIES));
            assert_true(sure <= NIGHTS * SERIES / 200);
            assert_true(rho > rhos[i] - 0.1 && rho < rhos[i] + 0.25);
        }
}

/* What a step of five deviations for eight campaigns comes to. */
static void steps_are_found_among_campaigns_that_are_alike(void **state)
{
    static const struct {
        double rho;
        size_t least; /* of 200 */
    } rows[] = {{0, 170}, {0.3, 110}};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct night n = take_night(f, 200, rows[i].rho, true, 0.1);

        print_message("  lag-1 %.1f: %zu of 200 sure\n", rows[i].rho, n.sure);
        assert_true(n.sure >= rows[i].least);
    }
}

static void a_drift_is_no_step(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 50; i++) {
        draw(f, 21, 0.002, false);
        for (size_t k = 0; k < 21; k++)
            f->x[k] += 0.01F * (float)k;
        assert_int_equal(cut(f, 0.002, 0.02), 1);
        assert_true(f->seg[0].drifts);
        assert_true(fabs(f->seg[0].slope - 0.01) < 0.001);
    }
}

/* Every third campaign ran on place 9, which is slower by `effect`. */
static void plant_place(struct fixture *f, double effect)
{
    for (size_t i = 0; i < f->s.n; i++)
        if (i % 3 == 2) {
            f->place[i] = 9;
            f->x[i] += (float)effect;
        }
}

static void a_slow_place_is_that_and_no_step(void **state)
{
    struct fixture *f = *state;
    size_t n;

    draw(f, 15, 0.004, false);
    plant_place(f, 0.1);
    n = osw_changes_places(&f->s, 0.004, 0.02, f->off);
    assert_int_equal(n, 1);
    assert_int_equal(f->off[0].place, 9);
    assert_true(fabs(f->off[0].effect - 0.1) < 0.01);
    assert_int_equal(cut(f, 0.004, 0.02), 1);
}

/* A commit is slow on all places from its campaign on. */
static void a_step_on_all_places_is_no_place(void **state)
{
    struct fixture *f = *state;

    for (size_t at = 4; at < 12; at++) {
        draw(f, 15, 0.004, false);
        plant_place(f, 0);
        for (size_t k = at; k < 15; k++)
            f->x[k] += 0.1F;
        assert_int_equal(osw_changes_places(&f->s, 0.004, 0.02, f->off), 0);
        assert_int_equal(cut(f, 0.004, 0.02), 2);
        assert_int_equal(f->seg[1].first, at);
        assert_false(osw_changes_is_place(&f->s, f->seg, 1, 0.02, f->off));
    }
}

/* 7 is below 9 before its points, and above it after them. */
static void where_neighbours_disagree_there_is_no_place(void **state)
{
    struct fixture *f = *state;

    draw(f, 20, 0.0005, false);
    for (size_t i = 0; i < 20; i++) {
        f->place[i] = i % 5 == 0 || i % 5 == 4 ? 7 : 9;
        f->x[i] += i % 5 == 0 ? -0.1F : i % 5 == 4 ? 0.2F : 0;
    }
    assert_int_equal(osw_changes_places(&f->s, 0.001, 0.02, f->off), 0);
}

/* A place that goes bad on the way is told by the times of other places after
 * it. */
static void a_place_that_goes_bad_is_no_commit(void **state)
{
    struct fixture *f = *state;

    draw(f, 24, 0.002, false);
    for (size_t i = 0; i < 24; i++) {
        f->place[i] = i < 12 || i % 3 ? 9 : 7;
        if (i >= 12 && f->place[i] == 9)
            f->x[i] += 0.1F;
    }
    assert_int_equal(cut(f, 0.002, 0.02), 2);
    assert_true(osw_changes_is_place(&f->s, f->seg, 1, 0.02, f->off));
    assert_int_equal(f->off[0].place, 9);
    assert_int_equal(f->off[0].since, f->seg[1].first);
    osw_changes_take_out(&f->s, &f->off[0]);
    assert_int_equal(cut(f, 0.002, 0.02), 1);
}

static void noise_alone_makes_no_place(void **state)
{
    enum { SERIES = 2000 };
    struct fixture *f = *state;
    size_t alarms = 0;

    for (int k = 0; k < SERIES; k++) {
        draw(f, 20, 0.02, true);
        for (size_t i = 0; i < 20; i++)
            f->place[i] = (uint32_t)(3 * unit(f));
        alarms += osw_changes_places(&f->s, 0.02, 0.02, f->off) > 0;
    }
    print_message("  %zu of %d\n", alarms, SERIES);
    assert_true(alarms <= SERIES / 100);
}

static void points_of_one_campaign_are_never_parted(void **state)
{
    struct fixture *f = *state;

    draw(f, 12, 0.001, false);
    for (size_t i = 0; i < 12; i++) {
        f->when[i] = (uint32_t)(i / 4);
        f->x[i] += i < 6 ? 0 : 0.1F; /* within the second campaign */
    }
    for (size_t n = cut(f, 0.001, 0.02), i = 1; i < n; i++)
        assert_int_equal(f->seg[i].first % 4, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(noise_is_that_of_neighbours_and_steps_do_not_touch_it),
        TEST(two_bad_campaigns_at_the_end_are_no_step),
        TEST(noise_is_taken_on_one_place_where_there_is_enough),
        TEST(planted_steps_are_found_where_they_are),
        TEST(two_steps_are_two),
        TEST(a_single_launch_gone_wrong_is_no_step),
        TEST(a_step_below_the_least_is_none),
        TEST(noise_alone_is_cut_as_often_as_p_says),
        TEST(campaigns_that_are_alike_make_no_steps),
        TEST(steps_are_found_among_campaigns_that_are_alike),
        TEST(a_drift_is_no_step),
        TEST(a_slow_place_is_that_and_no_step),
        TEST(a_step_on_all_places_is_no_place),
        TEST(where_neighbours_disagree_there_is_no_place),
        TEST(a_place_that_goes_bad_is_no_commit),
        TEST(noise_alone_makes_no_place),
        TEST(points_of_one_campaign_are_never_parted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
