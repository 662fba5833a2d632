/* tests/unit/results/test_report_cell.c - one cell on one screen */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>

#include "results/report/report_cell.h"
#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

/* All cells of the file, against a file of the tree. */
static void check(const char *name)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(folder.path, &err);
    char path[600], command[1500];
    FILE *out;

    assert_non_null(file);
    snprintf(path, sizeof(path), "%s/%s", folder.dir, name);
    out = fopen(path, "w");
    assert_non_null(out);
    for (uint64_t row = 0; row < osw_file_info(file)->n_results; row++) {
        struct osw_record r;

        assert_int_equal(osw_file_records(file, row, 1, &r, &err), 0);
        osw_report_cell(file, row, &r, 80, out);
        putc('\n', out);
    }
    fclose(out);
    osw_file_close(file);
    snprintf(command, sizeof(command), "%s '%s' 'tests/data/results/%s'",
             getenv("UPDATE_GOLDEN") ? "cp" : "diff -u", path, name);
    assert_int_equal(system(command), 0);
}

static void verdict_why_and_where(void **state)
{
    (void)state;
    assert_int_equal(golden_make(&folder, 0), 0);
    check("complete.cells.txt");
}

static void speedups_name_their_baseline(void **state)
{
    (void)state;
    assert_int_equal(golden_make_baselines(&folder), 0);
    check("baselines.cells.txt");
}

static void collective_ops_have_bandwidths(void **state)
{
    (void)state;
    assert_int_equal(golden_make_ranks(&folder), 0);
    check("ranks.cells.txt");
}

static void a_speedup_that_does_not_count_says_why(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "plain", "cpu", 2, 1.9, 2.1, NAN, OSW_STATE_WEAK},
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_WEAK},
    };
    static const char *const want[] = {
        "\nspeedup     not counted: the cell is weak\n",
        "\nspeedup     none: it was timed without a baseline\n"};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file;

    (void)state;
    file = golden_open_cells(&folder, cells, 2);
    for (uint64_t row = 0; row < 2; row++) {
        struct osw_record r;
        char *got = NULL;
        size_t size;
        FILE *out = open_memstream(&got, &size);

        assert_non_null(out);
        assert_int_equal(osw_file_records(file, row, 1, &r, &err), 0);
        osw_report_cell(file, row, &r, 80, out);
        fclose(out);
        assert_non_null(strstr(got, want[row]));
        free(got);
    }
    osw_file_close(file);
}

static void a_narrow_screen_has_whole_numbers(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_PASS},
    };
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r;
    osw_file_t *file;
    char *got = NULL, key[32];
    size_t size;
    FILE *out = open_memstream(&got, &size);

    (void)state;
    assert_non_null(out);
    file = golden_open_cells(&folder, cells, 1);
    assert_int_equal(osw_file_records(file, 0, 1, &r, &err), 0);
    r.cell_key = UINT64_MAX;
    osw_report_cell(file, 0, &r, 40, out);
    fclose(out);
    assert_non_null(strstr(got, "row 0, key"));
    snprintf(key, sizeof(key), "0x%016" PRIx64, r.cell_key);
    assert_non_null(strstr(got, key));
    free(got);
    osw_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(verdict_why_and_where, tear_down),
        cmocka_unit_test_teardown(speedups_name_their_baseline, tear_down),
        cmocka_unit_test_teardown(a_speedup_that_does_not_count_says_why,
                                  tear_down),
        cmocka_unit_test_teardown(collective_ops_have_bandwidths, tear_down),
        cmocka_unit_test_teardown(a_narrow_screen_has_whole_numbers, tear_down),
    };

    return cmocka_run_group_tests_name("results/report_cell", tests, NULL,
                                       NULL);
}
