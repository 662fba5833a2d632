/* tests/unit/results/test_scores.c - scores, worked by hand */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/report/scores.h"
#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

static struct osw_scores scores_of(unsigned leave_out)
{
    struct osw_report_summary sum;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_scores s;
    osw_file_t *file;

    assert_int_equal(golden_make(&folder, leave_out), 0);
    file = osw_file_open(folder.path, &err);
    assert_non_null(file);
    assert_int_equal(osw_report_summarize(file, &sum, &err), 0);
    osw_scores_add_up(&sum, osw_file_info(file)->n_planned, &s);
    osw_report_summary_free(&sum);
    osw_file_close(file);
    return s;
}

static void above_is(const uint64_t got[OSW_SCORES_N_P],
                     const uint64_t want[OSW_SCORES_N_P])
{
    for (int i = 0; i < OSW_SCORES_N_P; i++)
        assert_int_equal(got[i], want[i]);
}

/* add/fast: 2 and a failure, so sqrt(2); add/slow: 0.5; mm/fast: 8 and a
 * crash, so sqrt(8); rms has no test.  The product of the three is 2.
 */
static void failures_count_as_one_and_spoil_their_operator(void **state)
{
    static const uint64_t none[OSW_SCORES_N_P] = {0};
    static const uint64_t cells[OSW_SCORES_N_P] = {2, 2, 2, 1, 1, 1};
    struct osw_scores s = scores_of(0);

    (void)state;
    assert_int_equal(s.n_ops, 3);
    assert_int_equal(s.n_ops_without, 1);
    assert_int_equal(s.n_ops_correct, 1);
    assert_int_equal(s.n_ops_perf, 3);
    assert_int_equal(s.n_perf, 5);
    assert_int_equal(s.n_perf_fail, 2);
    assert_true(fabs(s.performance - cbrt(2)) < 1e-12);
    above_is(s.n_ops_above, none);
    assert_int_equal(s.n_tests, 5);
    assert_int_equal(s.n_pass, 3);
    assert_int_equal(s.n_planned, 6);
    assert_int_equal(s.n_timed, 3);
    above_is(s.n_cells_above, cells);
}

/* Without the two failures: 2, 0.5 and 8; 2 is not above 2. */
static void above_means_more_than(void **state)
{
    static const uint64_t want[OSW_SCORES_N_P] = {2, 2, 2, 1, 1, 1};
    struct osw_scores s = scores_of(1 << 2 | 1 << 4);

    (void)state;
    assert_int_equal(s.n_ops_correct, 3);
    assert_true(fabs(s.performance - 2) < 1e-12);
    above_is(s.n_ops_above, want);
    above_is(s.n_cells_above, want);
    assert_int_equal(s.n_tests, 3);
    assert_int_equal(s.n_planned, 6);
}

/* Only the wrong and the crashed cell: nothing was timed, so nothing is a
 * performance test.
 */
static void without_times_there_is_no_performance(void **state)
{
    struct osw_scores s = scores_of(0x3f & ~(1u << 2 | 1u << 4));

    (void)state;
    assert_int_equal(s.n_ops, 2);
    assert_int_equal(s.n_ops_correct, 0);
    assert_int_equal(s.n_ops_perf, 0);
    assert_int_equal(s.n_perf, 0);
    assert_true(isnan(s.performance));
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        T(failures_count_as_one_and_spoil_their_operator),
        T(above_means_more_than),
        T(without_times_there_is_no_performance),
    };
#undef T

    return cmocka_run_group_tests_name("results/scores", tests, NULL, NULL);
}
