/* tests/unit/common/test_deadline.c - deadlines that pass while one looks */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/deadline.h"

static void it_passes_while_looked_at(void **state)
{
    struct osw_deadline d = osw_deadline_in(100, 1000);

    (void)state;
    for (int64_t now = 1000; now < 1100; now += 10)
        assert_int_equal(osw_deadline_left(&d, now, 10), 1100 - now);
    assert_int_equal(osw_deadline_left(&d, 1100, 10), 0);
    assert_int_equal(osw_deadline_left(&d, 1105, 10), -5);
}

static void who_was_away_misses_one_look(void **state)
{
    struct osw_deadline d = osw_deadline_in(100, 1000);

    (void)state;
    assert_int_equal(osw_deadline_left(&d, 1010, 10), 90);
    assert_int_equal(osw_deadline_left(&d, 501010, 10), 80);
    assert_int_equal(osw_deadline_left(&d, 501020, 10), 70);
}

static void no_length_is_too_long(void **state)
{
    struct osw_deadline d = osw_deadline_in(INT64_MAX, INT64_MAX / 4);

    (void)state;
    assert_true(osw_deadline_left(&d, INT64_MAX / 2 - 1, 1) > 0);
    assert_true(d.until_ns > INT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_while_looked_at),
        cmocka_unit_test(who_was_away_misses_one_look),
        cmocka_unit_test(no_length_is_too_long),
    };

    return cmocka_run_group_tests_name("common/deadline", tests, NULL, NULL);
}
