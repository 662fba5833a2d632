/* tests/unit/common/test_utf8.c - what of a text a terminal may get */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/csv.h"
#include "common/utf8.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define BAD       "\xef\xbf\xbd"

/* clang-format off */
static const struct {
    const char *text, *want;
} rows[] = {
    { "",                                "" },
    { "plain, \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
      "plain, \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
    { "\033[2Ja\r\nb\tc\x7f",            " [2Ja  b c " },
    { "\xc2\x9b" "31m",                  BAD "31m" }, /* U+009B steers, too */
    { "\xc2\xa0",                        "\xc2\xa0" },
    { "a\xe2\x80\xae" "b",               "a" BAD "b" }, /* U+202E */
    { "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", BAD BAD BAD },
    { "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xaa\xe2\x80\xaf", "\xe2\x80\xa7" BAD BAD "\xe2\x80\xaf" },
    { "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5" BAD BAD "\xe2\x81\xaa" },
    { "\x9b\xff\xc3",                    BAD BAD BAD },
    { "\xc0\x9b\xed\xa0\x80",            BAD BAD BAD BAD BAD },
};
/* clang-format on */

static void what_steers_a_terminal_is_replaced(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_text added = OSW_TEXT_INIT;
        size_t n = strlen(rows[i].text), size;
        char *put, copied[64];
        FILE *out = open_memstream(&put, &size);

        osw_utf8_put_visible(out, rows[i].text, n);
        fclose(out);
        osw_utf8_add_visible(&added, rows[i].text, n);
        assert_string_equal(put, rows[i].want);
        assert_string_equal(osw_text_str(&added), rows[i].want);
        assert_int_equal(
            osw_utf8_copy_visible(copied, sizeof(copied), rows[i].text),
            strlen(rows[i].want));
        assert_string_equal(copied, rows[i].want);
        osw_text_free(&added);
        free(put);
    }
}

static void a_note_is_one_line(void **state)
{
    size_t size;
    char *put;
    FILE *out = open_memstream(&put, &size);

    (void)state;
    osw_utf8_put_note(out, "  note: ", "a\nb\t\xff.c", "not\nunderstood");
    fclose(out);
    assert_string_equal(put, "  note: a b " BAD ".c: not understood\n");
    free(put);
}

static void a_copy_ends_after_a_whole_character(void **state)
{
    char to[6];

    (void)state;
    assert_int_equal(osw_utf8_copy_visible(to, 6, "ab\xe2\x82\xac!"), 5);
    assert_string_equal(to, "ab\xe2\x82\xac");
    assert_int_equal(osw_utf8_copy_visible(to, 5, "ab\xe2\x82\xac!"), 2);
    assert_int_equal(osw_utf8_copy_visible(to, 1, "a"), 0);
    assert_string_equal(to, "");
}

/* A file keeps each byte, a terminal gets none that steers it. */
static void a_field_of_csv_is_whole_in_a_file(void **state)
{
    static const struct {
        bool terminal;
        const char *want;
    } cases[] = {{false, "\"a\"\"b\n\033[2J\""}, {true, "\"a\"\"b  [2J\""}};

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        size_t size;
        char *put;
        FILE *out = open_memstream(&put, &size);

        assert_false(osw_csv_is_terminal(out));
        osw_csv_put(out, "a\"b\n\033[2J", cases[i].terminal);
        fclose(out);
        assert_string_equal(put, cases[i].want);
        free(put);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_a_terminal_is_replaced),
        cmocka_unit_test(a_note_is_one_line),
        cmocka_unit_test(a_copy_ends_after_a_whole_character),
        cmocka_unit_test(a_field_of_csv_is_whole_in_a_file),
    };

    return cmocka_run_group_tests_name("common/utf8", tests, NULL, NULL);
}
