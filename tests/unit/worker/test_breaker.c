/* tests/unit/worker/test_breaker.c - three strikes, of one file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "worker/judge/process/breaker.h"

static void the_third_strike_opens_it_for_that_file_alone(void **state)
{
    static struct osw_breaker b;

    (void)state;
    for (int i = 0; i < OSW_BREAKER_LIMIT; i++) {
        assert_false(osw_breaker_is_open(&b, "/ops/a.c"));
        osw_breaker_strike(&b, "/ops/a.c");
    }
    assert_true(osw_breaker_is_open(&b, "/ops/a.c"));
    assert_false(osw_breaker_is_open(&b, "/ops/b.c"));
    assert_false(osw_breaker_is_open(&b, ""));
}

/* More files than it has places: none is broken that had no strikes. */
static void a_full_table_judges_on(void **state)
{
    static struct osw_breaker b;
    char path[32];

    (void)state;
    for (int i = 0; i < OSW_BREAKER_FILES + 100; i++) {
        snprintf(path, sizeof(path), "/ops/%d.c", i);
        for (int k = 0; k < OSW_BREAKER_LIMIT; k++)
            osw_breaker_strike(&b, path);
        assert_int_equal(osw_breaker_is_open(&b, path), i < OSW_BREAKER_FILES);
    }
    assert_false(osw_breaker_is_open(&b, "/ops/other.c"));
}

static void ends_count_and_verdicts_do_not(void **state)
{
    static const struct {
        enum osw_state state;
        bool counts;
    } rows[] = {
        {OSW_STATE_CRASH, true},   {OSW_STATE_EXITED, true},
        {OSW_STATE_TIMEOUT, true}, {OSW_STATE_CUDA, true},
        {OSW_STATE_OOM, false},    {OSW_STATE_VALUE, false},
        {OSW_STATE_PASS, false},   {OSW_STATE_RETURNED, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(osw_breaker_counts(rows[i].state), rows[i].counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_strike_opens_it_for_that_file_alone),
        cmocka_unit_test(a_full_table_judges_on),
        cmocka_unit_test(ends_count_and_verdicts_do_not),
    };

    return cmocka_run_group_tests_name("worker/breaker", tests, NULL, NULL);
}
