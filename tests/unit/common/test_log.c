/* tests/unit/common/test_log.c - lines for people, on standard error */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"

/* Standard error goes into a pipe while a test runs. */
static int saved, pipe_fds[2];

static int set_up(void **state)
{
    (void)state;
    saved = dup(STDERR_FILENO);
    return pipe(pipe_fds) || dup2(pipe_fds[1], STDERR_FILENO) < 0;
}

static int tear_down(void **state)
{
    (void)state;
    osw_log_set(OSW_LOG_INFO, NULL);
    return close(saved) || close(pipe_fds[0]) || close(pipe_fds[1]);
}

/* What was written; puts standard error back, so that cmocka can talk. */
static const char *written(void)
{
    static char text[4096];
    ssize_t n;

    dprintf(STDERR_FILENO, "."); /* never an empty pipe */
    n = read(pipe_fds[0], text, sizeof(text) - 1);
    dup2(saved, STDERR_FILENO);
    text[n > 0 ? n - 1 : 0] = '\0';
    return text;
}

static void lines_carry_program_and_speaker(void **state)
{
    (void)state;
    osw_log(OSW_LOG_INFO, "%d cells", 3);
    osw_log_set(OSW_LOG_INFO, "rank 2");
    osw_log(OSW_LOG_WARNING, "slow");
    osw_log(OSW_LOG_ERROR, "gone");
    assert_string_equal(written(), "opsweep: 3 cells\n"
                                   "opsweep: rank 2: warning: slow\n"
                                   "opsweep: rank 2: gone\n");
}

static void levels_above_the_set_one_are_silent(void **state)
{
    (void)state;
    osw_log_set(OSW_LOG_WARNING, NULL);
    osw_log(OSW_LOG_INFO, "no");
    osw_log(OSW_LOG_WARNING, "yes");
    osw_log(OSW_LOG_DEBUG, "no");
    assert_string_equal(written(), "opsweep: warning: yes\n");
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
    const char *text;

    (void)state;
    osw_log(OSW_LOG_INFO, "%02000d", 1);
    text = written();
    assert_int_equal(strlen(text), 1023);
    assert_int_equal(text[1022], '\n');
    assert_int_equal(text[1021], '0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(lines_carry_program_and_speaker),
        T(levels_above_the_set_one_are_silent),
        T(a_long_line_is_cut_and_still_ends),
#undef T
    };

    return cmocka_run_group_tests_name("common/log", tests, NULL, NULL);
}
