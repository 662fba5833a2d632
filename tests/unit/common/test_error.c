/* tests/unit/common/test_error.c - one way to fail */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "common/error.h"

static void a_failure_records_status_and_text(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_fail(&err, OSW_BAD_INPUT, "no op '%s'", "x"), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "no op 'x'");
}

static void the_first_failure_wins(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    osw_fail(&err, OSW_TIMEOUT, "first");
    osw_fail(&err, OSW_BAD_INPUT, "second");
    osw_fail_sys(&err, ENOENT, "third");
    assert_int_equal(err.status, OSW_TIMEOUT);
    assert_string_equal(err.text, "first");
}

static void a_system_failure_tells_the_reason(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_fail_sys(&err, ENOENT, "cannot open '%s'", "a"), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_string_equal(err.text, "cannot open 'a': No such file or directory");
}

static void errno_is_preserved(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    errno = EAGAIN;
    osw_fail_sys(&err, ENOENT, "x");
    assert_int_equal(errno, EAGAIN);
    osw_fail(&err, OSW_INTERNAL, "y");
    assert_int_equal(errno, EAGAIN);
}

static void without_an_error_nothing_is_recorded(void **state)
{
    (void)state;
    assert_int_equal(osw_fail(NULL, OSW_INTERNAL, "x"), -1);
    assert_int_equal(osw_fail_sys(NULL, ENOENT, "x"), -1);
    assert_int_equal(osw_error_in(NULL, "x"), -1);
}

/* Texts of 510, 511 and 512 bytes around the room of 511. */
static void a_text_too_long_ends_in_dots(void **state)
{
    char long_text[600];

    (void)state;
    for (size_t n = 510; n <= 512; n++) {
        struct osw_error err = OSW_ERROR_INIT;

        memset(long_text, 'a', n);
        long_text[n] = '\0';
        osw_fail(&err, OSW_INTERNAL, "%s", long_text);
        assert_int_equal(strlen(err.text), n < 512 ? n : 511);
        assert_string_equal(err.text + strlen(err.text) - 3,
                            n < 512 ? "aaa" : "...");
    }
}

static void a_reason_that_does_not_fit_ends_in_dots(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char long_text[509];

    (void)state;
    memset(long_text, 'a', sizeof(long_text) - 1);
    long_text[508] = '\0';
    osw_fail_sys(&err, ENOENT, "%s", long_text);
    assert_int_equal(strlen(err.text), 511);
    assert_string_equal(err.text + 505, "aaa...");
}

static void a_subject_is_put_in_front(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    osw_fail(&err, OSW_BAD_INPUT, "expected a number");
    assert_int_equal(osw_error_in(&err, "key '%s'", "n"), -1);
    assert_int_equal(osw_error_in(&err, "file.json"), -1);
    assert_string_equal(err.text, "file.json: key 'n': expected a number");
    assert_int_equal(err.status, OSW_BAD_INPUT);
}

static void every_status_has_name_text_and_exit_code(void **state)
{
    static const struct {
        enum osw_status status;
        int code;
    } rows[] = {
        {OSW_OK, 0},       {OSW_FAILED, 1},     {OSW_BAD_INPUT, 2},
        {OSW_NOTHING, 3},  {OSW_INCOMPLETE, 4}, {OSW_SYSTEM, 5},
        {OSW_INTERNAL, 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(osw_status_exit_code(rows[i].status), rows[i].code);
    }
    assert_int_equal(osw_status_exit_code((enum osw_status)999), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_records_status_and_text),
        cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(a_system_failure_tells_the_reason),
        cmocka_unit_test(errno_is_preserved),
        cmocka_unit_test(without_an_error_nothing_is_recorded),
        cmocka_unit_test(a_text_too_long_ends_in_dots),
        cmocka_unit_test(a_reason_that_does_not_fit_ends_in_dots),
        cmocka_unit_test(a_subject_is_put_in_front),
        cmocka_unit_test(every_status_has_name_text_and_exit_code),
    };

    return cmocka_run_group_tests_name("common/error", tests, NULL, NULL);
}
