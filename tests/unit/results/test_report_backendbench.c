/* tests/unit/results/test_report_backendbench.c - the four files, as kept */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

static void check(const char *folder_name, unsigned leave_out)
{
    const struct osw_report_format *const *files =
        osw_report_find("backendbench")->files;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_report_options options = {0};
    char command[1500], path[700], cwd[1024];
    osw_file_t *file;

    assert_int_equal(golden_make(&folder, leave_out), 0);
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    assert_int_equal(chdir(folder.dir), 0);
    file = osw_file_open("run.h5", &err);
    assert_int_equal(chdir(cwd), 0);
    assert_non_null(file);
    for (size_t i = 0; i < 4; i++) {
        FILE *out;

        snprintf(path, sizeof(path), "%s/%s", folder.dir, files[i]->name);
        out = fopen(path, "w");
        assert_non_null(out);
        assert_int_equal(osw_report_write(files[i], file, &options, out, &err),
                         0);
        fclose(out);
        snprintf(command, sizeof(command), "%s '%s' 'tests/data/results/%s/%s'",
                 getenv("UPDATE_GOLDEN") ? "cp" : "diff -u", path, folder_name,
                 files[i]->name);
        assert_int_equal(system(command), 0);
    }
    assert_null(files[4]);
    osw_file_close(file);
}

static void a_complete_run(void **state)
{
    (void)state;
    check("backendbench", 0);
}

static void a_run_without_results(void **state)
{
    (void)state;
    check("backendbench-empty", 0x3f);
}

/* The baseline's own cells are no performance tests. */
static void perf_at_p_is_of_operators_with_performance_tests(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "plain", "cpu", 2, 1.9, 2.1, NAN, OSW_STATE_PASS},
        {"add", "plain", "plain", "cpu", 1, 1, 1, NAN, OSW_STATE_PASS},
    };
    const struct osw_report_format *const *files =
        osw_report_find("backendbench")->files;
    struct osw_report_options options = {0};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file;
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    (void)state;
    assert_non_null(out);
    file = golden_open_cells(&folder, cells, 2);
    for (size_t i = 0; files[i]; i++)
        if (strcmp(files[i]->name, "OVERALL_SUMMARY.md") == 0)
            assert_int_equal(
                osw_report_write(files[i], file, &options, out, &err), 0);
    fclose(out);
    osw_file_close(file);
    assert_non_null(strstr(got, "\n| Perf@1.0 Score | 1.00 |\n"));
    free(got);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_complete_run),
        T(a_run_without_results),
        T(perf_at_p_is_of_operators_with_performance_tests),
    };
#undef T

    return cmocka_run_group_tests_name("results/report_backendbench", tests,
                                       NULL, NULL);
}
