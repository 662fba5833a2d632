/* tests/unit/results/test_report_markdown.c - Markdown, against kept files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/report/report_md.h"
#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    return *state ? folder_remove(*state) : 0;
}

static void a_complete_run(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_check(&folder, "markdown", 0, false, "complete.md");
}

static void an_incomplete_run(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make(&folder, 1 << 0 | 1 << 3), 0);
    golden_check(&folder, "markdown", 0, false, "incomplete.md");
}

static void nothing_in_a_text_has_a_meaning(void **state)
{
    static const struct {
        void (*put)(FILE *out, const char *text, size_t max);
        const char *text, *want;
    } cases[] = {
        {osw_report_md_text, "a|b\n<b> *x*_y`z",
         "a\\|b \\<b\\> \\*x\\*\\_y\\`z"},
        {osw_report_md_code, "a|b\n<b> `x`\\", "`a\\|b <b> 'x'\\`"},
        {osw_report_md_code, "", ""},
        {osw_report_md_text, "\xc3\xbc\xff\x1b[", "\xc3\xbc\xef\xbf\xbd \\["},
        {osw_report_md_text, "\xc3\xbc\xc3\xbc\xc3\xbc",
         "\xc3\xbc\xc3\xbc\xc3\xbc"},
        {osw_report_md_text, "12345", "1234..."},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char got[100] = "";
        FILE *out = fmemopen(got, sizeof(got), "w");

        assert_non_null(out);
        cases[i].put(out, cases[i].text, i == 5 ? 4 : 50);
        fclose(out);
        assert_string_equal(got, cases[i].want);
    }
    *state = NULL;
}

static void each_baseline_stands_for_itself(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make_baselines(&folder), 0);
    golden_check(&folder, "markdown", 0, false, "baselines.md");
}

static void one_is_no_plural(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "plain", "cpu", 2, 1.9, 2.1, NAN, OSW_STATE_PASS},
    };
    static const struct osw_report_options options = {0};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file;
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    (void)state;
    assert_non_null(out);
    file = golden_open_cells(&folder, cells, 1);
    assert_int_equal(
        osw_report_write(&osw_report_markdown, file, &options, out, &err), 0);
    fclose(out);
    assert_non_null(strstr(got, " 1 operator; 1 performance test, of which"));
    free(got);
    osw_file_close(file);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_complete_run),
        T(an_incomplete_run),
        T(each_baseline_stands_for_itself),
        T(nothing_in_a_text_has_a_meaning),
        T(one_is_no_plural),
    };
#undef T

    return cmocka_run_group_tests_name("results/report_markdown", tests, NULL,
                                       NULL);
}
