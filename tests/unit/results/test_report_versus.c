/* tests/unit/results/test_report_versus.c - speedups by baseline, by hand */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/report/report_versus.h"
#include "results/report/scores.h"
#include "tests/unit/results/golden.h"

static struct folder folder;

struct fixture {
    osw_file_t *file;
    struct osw_report_summary sum;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct osw_error err = OSW_ERROR_INIT;

    memset(&f, 0, sizeof(f));
    *state = &f;
    if (golden_make_baselines(&folder))
        return -1;
    f.file = osw_file_open(folder.path, &err);
    return f.file ? osw_report_summarize(f.file, &f.sum, &err) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_report_summary_free(&f->sum);
    osw_file_close(f->file);
    return folder_remove(&folder);
}

static const char *baseline(const struct fixture *f,
                            const struct osw_report_versus *v)
{
    return osw_file_text(f->file, OSW_DICT_BASELINE, v->baseline_id);
}

static void headlines_are_one_per_baseline(void **state)
{
    const struct fixture *f = *state;
    const struct osw_report_versus *h = f->sum.headlines;

    assert_int_equal(f->sum.n_headlines, 3);
    assert_string_equal(baseline(f, &h[0]), "openblas");
    assert_int_equal(h[0].n, 2);
    assert_int_equal(h[0].n_ops, 2);
    assert_int_equal(h[0].n_faster, 0);
    assert_int_equal(h[0].n_slower, 1);
    /* sqrt(0.5 * 4); log2: -1 and 2, mean 0.5, residuals 1.5, t 12.7062. */
    assert_true(fabs(osw_report_versus_geomean(&h[0]) - sqrt(2)) < 1e-12);
    assert_true(fabs(log2(h[0].hi) - (0.5 + 12.7062 * 1.5)) < 1e-3);
    assert_string_equal(baseline(f, &h[1]), "plain");
    assert_int_equal(h[1].n, 1);
    assert_int_equal(h[1].n_faster, 1);
    assert_int_equal(h[1].n_failed, 1);
    assert_true(isnan(h[1].lo) && isnan(h[1].hi));
    assert_string_equal(baseline(f, &h[2]), "reference");
    assert_true(h[2].oracle && !h[0].oracle && !h[1].oracle);
}

/* add/fast has two, the baselines' own rows and mm/slow's oracle none. */
static void nothing_is_pooled(void **state)
{
    static const struct {
        uint32_t n_baselines;
        uint64_t n_timed, n_own;
    } want[] = {{2, 2, 0}, {0, 0, 1}, {1, 1, 0},
                {0, 0, 1}, {0, 0, 0}, {0, 0, 0}};
    const struct fixture *f = *state;

    assert_int_equal(f->sum.n_rows, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(f->sum.rows[i].n_baselines, want[i].n_baselines);
        assert_int_equal(f->sum.rows[i].n_timed, want[i].n_timed);
        assert_int_equal(f->sum.rows[i].n_own, want[i].n_own);
        assert_int_equal(isnan(osw_report_geomean(&f->sum.rows[i])),
                         want[i].n_baselines != 1);
    }
    assert_int_equal(f->sum.total.n_timed, 3);
    assert_int_equal(f->sum.total.n_measured, 7);
    assert_int_equal(f->sum.total.n_baselines, 2);
    assert_true(isnan(osw_report_geomean(&f->sum.total)));
}

static void a_row_gives_its_baselines_one_after_the_other(void **state)
{
    const struct fixture *f = *state;
    const struct osw_report_versus *v;
    char name[64];

    v = osw_report_versus_next(&f->sum, 0, NULL);
    assert_non_null(v);
    assert_true(osw_report_versus_geomean(v) == 2);
    v = osw_report_versus_next(&f->sum, 0, v);
    assert_non_null(v);
    assert_true(osw_report_versus_geomean(v) == 0.5);
    assert_null(osw_report_versus_next(&f->sum, 0, v));
    assert_null(osw_report_versus_next(&f->sum, 1, NULL)); /* its own */
    v = osw_report_versus_next(&f->sum, 4, NULL);
    assert_non_null(v);
    assert_string_equal(osw_report_versus_name(f->file, v->baseline_id,
                                               v->device_id, name,
                                               sizeof(name)),
                        "vs reference (an oracle, no baseline)");
    assert_null(osw_report_versus_next(&f->sum, 5, NULL)); /* timed alone */
}

/* 0.1 0.2 0.25 0.5 0.75 0.8, with and without a baseline; of add/fast two. */
static void light_is_a_median(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(f->sum.total.n_light, 6);
    assert_true(fabs(f->sum.total.light_median - 0.375) < 1e-12);
    assert_true(fabs(f->sum.rows[0].light_median - 0.375) < 1e-12);
    assert_true(fabs(f->sum.rows[5].light_median - 0.2) < 1e-12);
    assert_true(isnan(f->sum.rows[4].light_median));
}

static void scores_are_one_per_baseline(void **state)
{
    const struct fixture *f = *state;
    struct osw_scores all;
    struct osw_scores_versus s;

    osw_scores_add_up(&f->sum, 8, &all);
    assert_true(isnan(all.performance));
    assert_int_equal(all.n_perf, 4);
    osw_scores_add_up_versus(&f->sum, &f->sum.headlines[1], &s);
    assert_int_equal(s.n_ops_perf, 2); /* add/fast, and mm/slow that failed */
    assert_int_equal(s.n_perf_fail, 1);
    assert_true(fabs(s.performance - sqrt(2)) < 1e-12); /* of 2 and 1 */
    assert_int_equal(s.n_ops_above[1], 1);
}

static int set_up_models(void **state)
{
    static struct fixture f;
    struct osw_error err = OSW_ERROR_INIT;

    memset(&f, 0, sizeof(f));
    *state = &f;
    if (golden_make_models(&folder))
        return -1;
    f.file = osw_file_open(folder.path, &err);
    return f.file ? osw_report_summarize(f.file, &f.sum, &err) : -1;
}

/* Of add/fast 4 on one and 0.5, 0.5 on the other: no mean of the three. */
static void models_of_device_are_not_pooled(void **state)
{
    const struct fixture *f = *state;
    const struct osw_report_versus *h = f->sum.headlines;
    struct osw_scores_versus s;
    char name[64];

    assert_true(f->sum.several_models);
    assert_int_equal(f->sum.n_headlines, 2);
    assert_string_equal(osw_report_versus_name(f->file, h[0].baseline_id,
                                               h[0].device_id, name,
                                               sizeof(name)),
                        "vs plain on h100");
    assert_int_equal(h[0].n, 5); /* 0.5 0.5 2 2 6: their product is 6 */
    assert_true(fabs(osw_report_versus_geomean(&h[0]) - pow(6, 0.2)) < 1e-12);
    assert_int_equal(h[1].n, 2);
    assert_true(fabs(osw_report_versus_geomean(&h[1]) - sqrt(32)) < 1e-12);
    assert_true(isnan(osw_report_geomean(&f->sum.total)));
    assert_int_equal(f->sum.rows[0].n_baselines, 2);
    assert_int_equal(f->sum.rows[0].n_light, 3); /* on both: no median */
    assert_true(isnan(f->sum.rows[0].light_median));
    assert_true(f->sum.rows[1].light_median == 0.5); /* on the a100 only */
    /* add/half failed on the h100: a test of the only baseline there. */
    osw_scores_add_up_versus(&f->sum, &h[0], &s);
    assert_int_equal(s.n_perf, 6);
    assert_int_equal(s.n_perf_fail, 1);
    osw_scores_add_up_versus(&f->sum, &h[1], &s);
    assert_int_equal(s.n_perf_fail, 0);
}

static int set_up_models_without_baseline(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "", "a100", NAN, NAN, NAN, 0.9, OSW_STATE_PASS},
        {"add", "fast", "", "h100", NAN, NAN, NAN, 0.1, OSW_STATE_PASS},
        {"mm", "fast", "", "h100", NAN, NAN, NAN, 0.2, OSW_STATE_PASS},
    };
    static struct fixture f;
    struct osw_error err = OSW_ERROR_INIT;

    memset(&f, 0, sizeof(f));
    *state = &f;
    if (golden_make_cells(&folder, cells, 3))
        return -1;
    f.file = osw_file_open(folder.path, &err);
    return f.file ? osw_report_summarize(f.file, &f.sum, &err) : -1;
}

static void light_of_several_models_is_not_pooled(void **state)
{
    const struct fixture *f = *state;

    assert_true(f->sum.several_models);
    assert_true(isnan(f->sum.rows[0].light_median));
    assert_true(f->sum.rows[1].light_median == 0.2);
    assert_int_equal(f->sum.total.n_light, 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(headlines_are_one_per_baseline),
        T(nothing_is_pooled),
        T(a_row_gives_its_baselines_one_after_the_other),
        T(light_is_a_median),
        T(scores_are_one_per_baseline),
        cmocka_unit_test_setup_teardown(models_of_device_are_not_pooled,
                                        set_up_models, tear_down),
        cmocka_unit_test_setup_teardown(light_of_several_models_is_not_pooled,
                                        set_up_models_without_baseline,
                                        tear_down),
    };
#undef T

    return cmocka_run_group_tests_name("results/report_versus", tests, NULL,
                                       NULL);
}
