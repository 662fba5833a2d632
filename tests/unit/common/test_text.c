/* tests/unit/common/test_text.c - a string that grows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/text.h"
#include "tests/unit/chaos.h"

static void an_empty_text_is_an_empty_string(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    assert_string_equal(osw_text_str(&t), "");
    osw_text_add(&t, "");
    assert_string_equal(osw_text_str(&t), "");
    osw_text_free(&t);
}

static void pieces_are_joined(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_text_add(&t, "ab");
    osw_text_add_n(&t, "cdef", 2);
    osw_text_printf(&t, "%d%s", 12, "x");
    assert_string_equal(osw_text_str(&t), "abcd12x");
    assert_int_equal(t.used, 7);
    osw_text_free(&t);
    assert_null(t.data);
}

/* Lengths around the first size of 128, whose last byte is the NUL's. */
static void growth_loses_nothing(void **state)
{
    (void)state;
    for (size_t n = 126; n <= 130; n++) {
        struct osw_text t = OSW_TEXT_INIT;

        for (size_t i = 0; i < n; i++)
            osw_text_printf(&t, "%c", (char)('a' + i % 26));
        assert_int_equal(strlen(osw_text_str(&t)), n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(t.data[i], 'a' + i % 26);
        osw_text_free(&t);
    }
}

static void reset_empties_and_forgives(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_text_add(&t, "abc");
    t.failed = true;
    assert_null(osw_text_str(&t));
    osw_text_reset(&t);
    assert_string_equal(osw_text_str(&t), "");
    osw_text_add(&t, "x");
    assert_string_equal(osw_text_str(&t), "x");
    osw_text_free(&t);
}

static void a_length_that_overflows_fails_once_and_for_all(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_text_add(&t, "abc");
    osw_text_add_n(&t, "x", SIZE_MAX - 1);
    osw_text_add(&t, "def");
    assert_true(t.failed);
    assert_null(osw_text_str(&t));
    osw_text_free(&t);
}

/* Longer than the buffer: as it is. */
static void a_word_is_printed_as_a_shell_reads_it(void **state)
{
    char out[OSW_SHELL_WORD], longest[OSW_SHELL_WORD];

    (void)state;
    assert_string_equal(osw_shell_word("a/b.h5", out), "a/b.h5");
    assert_string_equal(osw_shell_word("a b", out), "'a b'");
    assert_string_equal(osw_shell_word("it's", out), "'it'\\''s'");
    assert_string_equal(osw_shell_word("", out), "''");
    memset(longest, ' ', sizeof(longest));
    longest[OSW_SHELL_WORD - 2] = '\0';
    assert_ptr_equal(osw_shell_word(longest + 1, out), out);
    assert_ptr_equal(osw_shell_word(longest, out), longest);
}

static void every_allocation_failure_sticks(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        struct osw_text t = OSW_TEXT_INIT;

        chaos_arm(failures);
        osw_text_add(&t, "a");
        osw_text_printf(&t, "%0200d", 1);
        osw_text_add(&t, "b");
        struck = chaos_struck();
        if (struck)
            assert_null(osw_text_str(&t));
        else
            assert_int_equal(strlen(osw_text_str(&t)), 202);
        osw_text_free(&t);
    }
    assert_int_equal(failures, 2); /* the first 128 bytes, then 256 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_text_is_an_empty_string),
        cmocka_unit_test(pieces_are_joined),
        cmocka_unit_test(growth_loses_nothing),
        cmocka_unit_test(reset_empties_and_forgives),
        cmocka_unit_test(a_length_that_overflows_fails_once_and_for_all),
        cmocka_unit_test(a_word_is_printed_as_a_shell_reads_it),
        cmocka_unit_test(every_allocation_failure_sticks),
    };

    return cmocka_run_group_tests_name("common/text", tests, NULL, NULL);
}
