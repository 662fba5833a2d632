/* tests/unit/common/test_deadline.c - deadlines that pass while one looks */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* A process that waits for 2 s and is stopped for longer reads what is
 * sent after that.
 */
static bool waits(int fd, int64_t ns)
{
    struct osw_deadline d = osw_deadline_in(ns, osw_clock_ns());

    return osw_deadline_wait(&d, fd);
}

static void who_was_stopped_still_waits(void **state)
{
    const struct timespec longer = {2, 500000000}, moment = {0, 200000000};
    int fds[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0)
        _exit(waits(fds[0], 2000000000) ? 0 : 1);
    nanosleep(&moment, NULL);
    kill(pid, SIGSTOP);
    nanosleep(&longer, NULL);
    kill(pid, SIGCONT);
    nanosleep(&moment, NULL);
    assert_int_equal(write(fds[1], "!", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(fds[0]);
    close(fds[1]);
}

static void who_hears_nothing_gives_up(void **state)
{
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_false(waits(fds[0], 1));
    close(fds[1]);
    assert_true(waits(fds[0], 1000000000)); /* its end */
    close(fds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_while_looked_at),
        cmocka_unit_test(who_was_away_misses_one_look),
        cmocka_unit_test(no_length_is_too_long),
        cmocka_unit_test(who_was_stopped_still_waits),
        cmocka_unit_test(who_hears_nothing_gives_up),
    };

    return cmocka_run_group_tests_name("common/deadline", tests, NULL, NULL);
}
