/* tests/unit/results/test_report_cut.c - what is left of a text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/report_cut.h"

static void the_end_of_a_text_stays(void **state)
{
    static const struct {
        const char *text;
        int width;
        const char *want;
    } cases[] = {
        {"short", 10, "short"},
        {"0123456789", 10, "0123456789"},
        {"0123456789abcdef", 12, "012...abcdef"},
        {"\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 6,
         "\xc3\xbc...\xc3\xbc\xc3\xbc"},
        {"a\x1b[2Jb\n", 20, "a [2Jb "},
        {"cannot open '/a/long/way/to/x.so': no such file", 40,
         "cannot open '.../to/x.so': no such file"},
        {"/very/long/folder/names/kernel.c:12: error: a missing semicolon", 30,
         ".../names...missing semicolon"},
        {"it is a/relative/path of no interest", 40,
         "it is a/relative/path of no interest"},
        {"abc", 2, ".."},
        {"abc", 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_text t = OSW_TEXT_INIT;

        osw_report_cut(&t, cases[i].text, cases[i].width);
        print_message("  %s\n", osw_text_str(&t));
        assert_true(osw_report_width(osw_text_str(&t)) <= cases[i].width);
        if (i != 6)
            assert_string_equal(osw_text_str(&t), cases[i].want);
        else
            assert_non_null(strstr(osw_text_str(&t), "missing semicolon"));
        osw_text_free(&t);
    }
}

static void lines_end_at_spaces_and_the_last_is_cut(void **state)
{
    static const struct {
        const char *text;
        int first;
        const char *want;
    } cases[] = {
        {"one two three four", 0, "one two\n  three\n  four\n"},
        {"one two three four", 6, "one\n  two\n  th...ur\n"},
        {"0123456789abc", 0, "012345678\n  9abc\n"},
        {"fits", 0, "fits\n"},
        {"", 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *got = NULL;
        size_t size;
        FILE *out = open_memstream(&got, &size);

        assert_non_null(out);
        osw_report_put_lines(out, cases[i].text, 9, cases[i].first, 2, 3);
        fclose(out);
        if (i != 1)
            assert_string_equal(got, cases[i].want);
        free(got);
    }
}

static void the_first_error_of_a_compiler_is_found(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"a.c: In function 'f':\na.c:3:5: error: expected ';'\n 3 |\n",
         "a.c:3:5: error: expected ';'\n 3 |\n"},
        {"a.c:1:1: fatal error: x.h: No such file",
         "a.c:1:1: fatal error: x.h: No such file"},
        {"a.c:1:2: warning: w\nk.cu(7): error: e\n", "k.cu(7): error: e\n"},
        {"ld: a.o: in function `f':\na.c:2: undefined reference to `g'\n"
         "collect2: error: ld returned 1 exit status\n",
         "a.c:2: undefined reference to `g'\n"
         "collect2: error: ld returned 1 exit status\n"},
        {"the compiler was ended by signal 9",
         "the compiler was ended by signal 9"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(osw_report_first_error(cases[i].text),
                            cases[i].want);
    assert_true(osw_report_is_compilers(OSW_STATE_BUILD, "x"));
    assert_true(osw_report_is_compilers(OSW_STATE_REFERENCE,
                                        "the reference: a.c:1: error: x"));
    assert_false(osw_report_is_compilers(OSW_STATE_REFERENCE, "it is nan"));
    assert_false(osw_report_is_compilers(OSW_STATE_RETURNED, "a: error: x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_text_stays),
        cmocka_unit_test(lines_end_at_spaces_and_the_last_is_cut),
        cmocka_unit_test(the_first_error_of_a_compiler_is_found),
    };

    return cmocka_run_group_tests_name("results/report_cut", tests, NULL, NULL);
}
