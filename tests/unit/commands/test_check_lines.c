/* tests/unit/commands/test_check_lines.c - which cells of `check` get a line
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "mpi_runner/diagnose/check_lines.h"

static void cells_that_pass_get_none(void **state)
{
    struct osw_check_told told = {.ran = false};

    (void)state;
    assert_false(osw_check_tell(&told, OSW_STATE_UNSUPPORTED, ""));
    assert_false(told.ran);
    assert_false(osw_check_tell(&told, OSW_STATE_PASS, ""));
    assert_true(told.ran);
    assert_int_equal(told.n[OSW_STATE_PASS], 0);
}

static void a_reason_that_follows_itself_gets_one(void **state)
{
    struct osw_check_told told = {.ran = false};

    (void)state;
    assert_true(osw_check_tell(&told, OSW_STATE_VALUE, "two"));
    assert_false(osw_check_tell(&told, OSW_STATE_VALUE, "two"));
    assert_true(osw_check_tell(&told, OSW_STATE_VALUE, "three"));
    assert_true(osw_check_tell(&told, OSW_STATE_VALUE, "two"));
    assert_int_equal(told.n[OSW_STATE_VALUE], 4);
    assert_int_equal(told.n_said[OSW_STATE_VALUE], 3);
    /* Without a reason nothing says that it is the same. */
    assert_true(osw_check_tell(&told, OSW_STATE_CRASH, ""));
    assert_true(osw_check_tell(&told, OSW_STATE_CRASH, ""));
}

static void a_state_gets_four(void **state)
{
    struct osw_check_told told = {.ran = false};
    char reason[16];
    int n = 0;

    (void)state;
    for (int i = 0; i < 9; i++) {
        snprintf(reason, sizeof(reason), "%d", i);
        n += osw_check_tell(&told, OSW_STATE_VALUE, reason);
    }
    assert_int_equal(n, 4);
    assert_int_equal(told.n[OSW_STATE_VALUE], 9);
    assert_true(osw_check_tell(&told, OSW_STATE_NAN, "8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_that_pass_get_none),
        cmocka_unit_test(a_reason_that_follows_itself_gets_one),
        cmocka_unit_test(a_state_gets_four),
    };

    return cmocka_run_group_tests_name("commands/check_lines", tests, NULL,
                                       NULL);
}
